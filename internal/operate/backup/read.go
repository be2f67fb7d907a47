package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mintmark/internal/base/progress"
	"os"
)

// File is an authenticated backup file.
type File struct {
	Header
	Written

	file   *os.File
	code   Code
	begins int64 // offset of the data
}

// open reads a file to its end and authenticates it. Keys returns the code for a header, which must
// not be trusted before open returns.
func open(
	ctx context.Context, path string, keys func(Header) (Code, error),
) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file}
	if err := f.check(ctx, keys); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return f, nil
}

// check reads the header and verifies the authentication code.
func (f *File) check(ctx context.Context, keys func(Header) (Code, error)) error {
	about, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.Bytes = about.Size()
	if err := f.readHeader(); err != nil {
		return err
	}
	if f.Bytes < f.begins+int64(sealLength) {
		return fmt.Errorf("%w: it is truncated", ErrDamaged)
	}
	if f.code, err = keys(f.Header); err != nil {
		return err
	}
	sum := sha256.New()
	progress.Expect(ctx, f.Bytes)
	sealed := io.NewSectionReader(f.file, 0, f.Bytes-int64(sealLength))
	if _, err := io.Copy(sum, progress.Reader(ctx, sealed)); err != nil {
		return err
	}
	end, err := f.authenticate(sum)
	sum.Write(end)
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// authenticate returns the end of the file, and an error unless its code matches the digest of
// everything before it.
func (f *File) authenticate(sum hash.Hash) (end []byte, err error) {
	end = make([]byte, sealLength)
	if _, err := f.file.ReadAt(end, f.Bytes-int64(sealLength)); err != nil {
		return nil, err
	}
	switch {
	case !bytes.HasPrefix(end, []byte(sealText)) || end[sealLength-1] != '\n':
		err = fmt.Errorf("%w: it is truncated, or data follows it", ErrDamaged)
	case !hmac.Equal(end, []byte(f.code.seal(sum.Sum(nil)))):
		err = fmt.Errorf("%w: its authentication code does not match its content", ErrDamaged)
	}
	return end, err
}

// readHeader reads the first line.
func (f *File) readHeader() error {
	in := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, f.Bytes), longestHeader)
	line, err := in.ReadSlice('\n')
	if err != nil || json.Unmarshal(line, &f.Header) != nil || f.Version < 1 {
		return ErrNoBackup
	}
	switch {
	case f.Version > Version:
		return fmt.Errorf("%w: it has format %d, and this program reads %d", ErrNewer, f.Version,
			Version)
	case f.Version < Version:
		return fmt.Errorf("%w: it has format %d, which can be changed unnoticed",
			ErrUnauthenticated, f.Version)
	}
	f.begins = int64(len(line))
	return nil
}

// Data returns the data. Reading fails, at the latest at the end, if the file was changed since
// open.
func (f *File) Data(ctx context.Context) (io.Reader, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f.file, 0, f.begins)); err != nil {
		return nil, err
	}
	sealed := io.NewSectionReader(f.file, f.begins, f.Bytes-int64(sealLength)-f.begins)
	progress.Expect(ctx, sealed.Size())
	read := io.TeeReader(progress.Reader(ctx, sealed), sum)
	packed, err := gzip.NewReader(bufio.NewReaderSize(read, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &data{packed, f, sum}, nil
}

// data returns io.EOF only if the data read is the data that was authenticated.
type data struct {
	*gzip.Reader
	file *File
	sum  hash.Hash
}

// Read decompresses, and authenticates at the end.
func (d *data) Read(text []byte) (int, error) {
	n, err := d.Reader.Read(text)
	switch {
	case errors.Is(err, io.EOF):
		if _, wrong := d.file.authenticate(d.sum); wrong != nil {
			err = wrong
		}
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return n, err
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
