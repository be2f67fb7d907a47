package importer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"mintmark/internal/base/platform"
)

// Rows is a file of rows, one JSON object a line. It can be read more than once.
type Rows struct {
	File       // Name appears in messages and in the audit
	Size int64 // in bytes

	text      *os.File
	plain     io.ReaderAt // the decrypted content of text
	opened    os.FileInfo // of a file that others may write; nil for a copy
	temporary bool
}

// OpenRows opens a file of rows and computes its SHA-256.
func OpenRows(name string) (*Rows, error) {
	text, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	opened, err := text.Stat()
	size := int64(0)
	if err == nil {
		size, err = io.Copy(digest, text)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", name, err), text.Close())
	}
	of := File{Name: filepath.Base(name), Digest: hex.EncodeToString(digest.Sum(nil))}
	return &Rows{File: of, Size: size, text: text, plain: text, opened: opened}, nil
}

// CheckUnchanged returns an error if the file was written to after it was opened: its digest would
// not match the rows that were read.
func (r *Rows) CheckUnchanged() error {
	if r.opened == nil {
		return nil
	}
	now, err := r.text.Stat()
	if err != nil {
		return fmt.Errorf("stat %s: %w", r.Name, err)
	}
	if now.Size() != r.opened.Size() || !now.ModTime().Equal(r.opened.ModTime()) {
		return fmt.Errorf("%s has changed since it was opened; send it when it is complete", r.Name)
	}
	return nil
}

// ErrNoRoom rejects rows that the disk has no room for.
var ErrNoRoom = errors.New("not enough disk space for the rows")

const (
	// diskReserve is the number of bytes that rows leave free on the disk, which may hold the
	// database.
	diskReserve = 256 << 20
	// lookEvery is the number of bytes between checks of the free space.
	lookEvery = 8 << 20
)

// freeBytes returns the free space on the disk of a directory; tests replace it.
var freeBytes = platform.FreeBytes

// SpoolRows copies rows into a temporary file in a directory, "" for the system's default. The rows
// contain customer data and maybe card numbers, so they are encrypted under a key that only the
// process knows, and the file has no name where the system allows that: nothing is left of it when
// the process ends. Length is the number of bytes, or -1 if unknown. SpoolRows returns ErrNoRoom if
// the rows would leave less than diskReserve free.
func SpoolRows(name, directory string, from io.Reader, length int64) (*Rows, error) {
	if directory == "" {
		directory = os.TempDir()
	}
	if err := checkRoom(directory, max(length, 0)); err != nil {
		return nil, err
	}
	text, err := os.CreateTemp(directory, "rows-*.tmp") // mode is 0600
	if err != nil {
		return nil, fmt.Errorf("store the rows: %w", err)
	}
	hidden := hide(text)
	r := &Rows{
		File: File{Name: name}, text: text, plain: hidden,
		temporary: os.Remove(text.Name()) != nil,
	}
	digest := sha256.New()
	for to := io.MultiWriter(hidden.writer(text), digest); err == nil; {
		var read int64
		read, err = io.CopyN(to, from, lookEvery)
		r.Size += read
		if err == nil {
			err = checkRoom(directory, 0)
		}
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = ErrNoRoom
	}
	if !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	r.Digest = hex.EncodeToString(digest.Sum(nil))
	return r, nil
}

// checkRoom returns ErrNoRoom if length bytes would not leave the reserve free. If the free space
// is unknown, it assumes that there is room.
func checkRoom(directory string, length int64) error {
	free, err := freeBytes(directory)
	if err == nil && free < uint64(length)+diskReserve {
		return ErrNoRoom
	}
	return nil
}

// Close closes the file, and removes a temporary one.
func (r *Rows) Close() error {
	err := r.text.Close()
	if r.temporary {
		err = errors.Join(err, os.Remove(r.text.Name()))
	}
	return err
}

// MaxLine is the maximum length of a line in bytes.
const MaxLine = 64 << 10

// Lines reads the lines of a file.
type Lines struct {
	Offset int64 // after the last line read
	Number int   // of that line

	from *bufio.Reader
}

// LongLines returns a reader of all lines, which may have up to most bytes.
func (r *Rows) LongLines(most int) *Lines {
	return &Lines{from: bufio.NewReaderSize(io.NewSectionReader(r.plain, 0, r.Size), most)}
}

// Lines returns a reader from an offset, which must be the beginning of the line with the given
// number.
func (r *Rows) Lines(offset int64, number int) *Lines {
	section := io.NewSectionReader(r.plain, offset, r.Size-offset)
	return &Lines{
		Offset: offset, Number: number - 1, from: bufio.NewReaderSize(section, MaxLine),
	}
}

// Next returns the next line that is not blank, without its line ending, or io.EOF after the last
// one. The slice is valid until the next call. A line that is too long is recorded, and Next
// returns the problems as its error.
func (l *Lines) Next(problems *Problems) ([]byte, error) {
	for {
		text, err := l.from.ReadSlice('\n')
		l.Offset += int64(len(text))
		if len(text) > 0 {
			l.Number++
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			problems.Add(l.Number, "", "is longer than %d bytes", l.from.Size())
			return nil, problems.Err()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return text, nil
		}
		if err != nil {
			return nil, io.EOF
		}
	}
}
