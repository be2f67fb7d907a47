package store

import "time"

// Files are the numbered files exchanged with the card processor. The database stores their
// numbers, not a folder, so that they cannot diverge from the rows that a file is about.
type Files interface {
	// Find returns a file by its number.
	Find(d Direction, sequence int) (File, error)
	// FindLast returns the file with the greatest number.
	FindLast(d Direction) (File, error)
	// ListUnwritten returns at most limit files that still have their text, in order of their
	// numbers.
	ListUnwritten(limit int) ([]File, error)
	// Put inserts a file.
	Put(f File) error
	// Change replaces text, count, digest and end of a file. It fails with ErrLostUpdate when the
	// file does not exist.
	Change(f File) error
	// DeleteBefore deletes the files of a direction that have lower numbers and no text, so that
	// the table does not grow without bound.
	DeleteBefore(d Direction, sequence int) error
}

// Direction is the direction in which files are sent.
type Direction string

// The directions.
const (
	OrderFiles  Direction = "orders"  // to the processor
	ReportFiles Direction = "reports" // from it
)

// File is a numbered file to or from the card processor, as far as it is stored.
type File struct {
	Direction Direction
	Sequence  int // starts at 1, without gaps
	Count     int // number of lines
	Digest    string
	Created   time.Time
	// Text is the content of a file to the processor until it is written. It contains no secret in
	// the clear. It is empty afterwards, and for files from the processor.
	Text  []byte
	Ended time.Time // when the file was written or applied; zero before
}
