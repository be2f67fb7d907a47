package store

import "time"

// Files are the numbered files that are exchanged with the card processor. Their numbers are kept
// here and not in a folder, so that they cannot part from the rows that a file is about.
type Files interface {
	// Find returns a file by its number.
	Find(d Direction, sequence int) (File, error)
	// FindLast returns the file with the highest number.
	FindLast(d Direction) (File, error)
	// ListUnwritten returns at most limit files that still have their text, in the order of their
	// numbers.
	ListUnwritten(limit int) ([]File, error)
	// Put inserts a file.
	Put(f File) error
	// Change replaces text, count, digest and end of a file, and is ErrLostUpdate when there is no such
	// file.
	Change(f File) error
	// DeleteBefore deletes the files of a direction with lower numbers that have no text, so that
	// the table does not grow for ever.
	DeleteBefore(d Direction, sequence int) error
}

// Direction is which way files go.
type Direction string

// The directions.
const (
	OrderFiles  Direction = "orders"  // to the processor
	ReportFiles Direction = "reports" // from it
)

// File is a numbered file to or from the card processor, as far as it is remembered.
type File struct {
	Direction Direction
	Sequence  int // from 1 on, without gaps
	Count     int // of its lines
	Digest    string
	Created   time.Time
	// Text is the file to the processor until it is written. It holds nothing in the clear that is
	// secret. It is empty from then on, and for files from the processor.
	Text  []byte
	Ended time.Time // when it was written or applied; zero before
}
