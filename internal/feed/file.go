package feed

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
)

// File is a file of rows. It is read twice: to check everything, and to apply what differs.
type File struct {
	Name   string // as messages and the audit show it
	Digest string // SHA-256

	text      *os.File
	temporary bool
}

// Open opens the rows that stand under a name, and adds up their SHA-256.
func Open(name string) (*File, error) {
	text, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, text); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", name, err), text.Close())
	}
	return &File{
		Name: filepath.Base(name), Digest: hex.EncodeToString(digest.Sum(nil)), text: text,
	}, nil
}

// Spool copies rows into a temporary file in a directory, the system's for "". It holds data of
// customers, so only the owner can read it, and it has no name where the system allows that:
// nothing is left of it when the process ends.
func Spool(name, directory string, from io.Reader) (*File, error) {
	text, err := os.CreateTemp(directory, "feed-*.tmp") // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("keep the rows: %w", err)
	}
	f := &File{Name: name, text: text, temporary: os.Remove(text.Name()) != nil}
	digest := sha256.New()
	if _, err := io.Copy(io.MultiWriter(text, digest), from); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.Digest = hex.EncodeToString(digest.Sum(nil))
	return f, nil
}

// Close closes the file, and removes a temporary one.
func (f *File) Close() error {
	err := f.text.Close()
	if f.temporary {
		err = errors.Join(err, os.Remove(f.text.Name()))
	}
	return err
}

// maxLine is how long a line may be, in bytes.
const maxLine = 64 << 10

// lines reads the lines of a file.
type lines struct {
	from   *bufio.Reader
	offset int64 // behind the line that was read last
	number int   // of that line
}

// linesFrom reads lines from a place in a file, which is the beginning of a line.
func (f *File) linesFrom(offset int64, number int) *lines {
	section := io.NewSectionReader(f.text, offset, 1<<62)
	return &lines{bufio.NewReaderSize(section, maxLine), offset, number - 1}
}

var errLongLine = fmt.Errorf("is longer than %d bytes", maxLine)

// next returns the next line that is not blank, without what ends it, and io.EOF behind the last.
// The text is valid until the next call.
func (l *lines) next() ([]byte, error) {
	for {
		text, err := l.from.ReadSlice('\n')
		l.offset += int64(len(text))
		if len(text) > 0 {
			l.number++
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, errLongLine
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
