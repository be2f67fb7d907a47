package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// File is a backup whose digest was compared.
type File struct {
	Header
	Written

	file   *os.File
	begins int64 // where the data begins
}

// Open reads a file to its end, and refuses one that is not as it was written.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err := f.check(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return f, nil
}

// check reads the header and compares the digest.
func (f *File) check() error {
	about, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.Bytes = about.Size()
	if err := f.readHeader(); err != nil {
		return err
	}
	if f.Bytes < f.begins+int64(sealLength) {
		return fmt.Errorf("%w: its end is missing", ErrDamaged)
	}
	sum := sha256.New()
	sealed := io.NewSectionReader(f.file, 0, f.Bytes-int64(sealLength))
	if _, err := io.Copy(sum, sealed); err != nil {
		return err
	}
	want := sealText + hex.EncodeToString(sum.Sum(nil)) + "\n"
	found := make([]byte, sealLength)
	if _, err := f.file.ReadAt(found, f.Bytes-int64(sealLength)); err != nil {
		return err
	}
	switch {
	case !bytes.HasPrefix(found, []byte(sealText)) || found[sealLength-1] != '\n':
		return fmt.Errorf("%w: its end is missing, or something stands behind it", ErrDamaged)
	case string(found) != want:
		return fmt.Errorf("%w: its content has another digest than the one at its end", ErrDamaged)
	}
	sum.Write(found)
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// readHeader reads the first line.
func (f *File) readHeader() error {
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, f.Bytes), longestHeader)
	line, err := in.ReadSlice('\n')
	if err != nil || json.Unmarshal(line, &f.Header) != nil || f.Version < 1 {
		return ErrNoBackup
	}
	if f.Version > Version {
		return fmt.Errorf("%w: it has the form %d, and this program reads %d", ErrNewer, f.Version,
			Version)
	}
	f.begins = int64(len(line))
	return nil
}

// Data returns the data. A file that was changed since Open fails there, at the latest at its end.
func (f *File) Data() (io.Reader, error) {
	length := f.Bytes - int64(sealLength) - f.begins
	packed, err := gzip.NewReader(bufio.NewReaderSize(
		io.NewSectionReader(f.file, f.begins, length), 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return packed, nil
}

// Close closes the file that was opened.
func (f *File) Close() error { return f.file.Close() }
