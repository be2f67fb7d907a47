package backup

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mintmark/internal/base/platform"
)

// Written describes a written file.
type Written struct {
	Bytes  int64
	SHA256 string // of the whole file, as printed by sha256sum
}

// part is the suffix of an incomplete file.
const part = ".part"

// write writes a file that must not exist yet. The file gets its name once it is complete and on
// disk; until then, and after a crash, it has the suffix .part.
func write(path string, h Header, code Code, data func(io.Writer) error) (Written, error) {
	if err := checkNew(path); err != nil {
		return Written{}, err
	}
	// Remove the file of a crashed run. A symbolic link of that name is removed, too, never
	// followed.
	if err := os.Remove(path + part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Written{}, err
	}
	file, err := os.OpenFile(path+part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Written{}, err
	}
	written, err := fill(file, h, code, data)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(path+part, path)
	}
	if err != nil {
		return Written{}, errors.Join(err, os.Remove(path+part))
	}
	return written, platform.SyncDirectory(filepath.Dir(path))
}

// checkNew checks that a backup can be created under a name: its directory exists, and the file
// does not.
func checkNew(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: a backup does not overwrite a file", path)
	}
	in := filepath.Dir(path)
	fileInfo, err := os.Stat(in)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !fileInfo.IsDir() {
		return fmt.Errorf("%s is not a directory: make it for the user of the service", in)
	}
	return nil
}

// fill writes the header, the data and the code.
func fill(to io.Writer, h Header, code Code, data func(io.Writer) error) (Written, error) {
	h.Version = Version
	first, err := json.Marshal(h)
	if err != nil {
		return Written{}, err
	}
	sum := sha256.New()
	counted := &counter{to: io.MultiWriter(to, sum)}
	if _, err := counted.Write(append(first, '\n')); err != nil {
		return Written{}, err
	}
	buffered := bufio.NewWriterSize(counted, 1<<20)
	// The fastest level keeps up with the database, and a better one saves little.
	packed, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
	if err != nil {
		return Written{}, err
	}
	if err := data(packed); err != nil {
		return Written{}, err
	}
	if err := errors.Join(packed.Close(), buffered.Flush()); err != nil {
		return Written{}, err
	}
	if _, err := io.WriteString(counted, code.seal(sum.Sum(nil))); err != nil {
		return Written{}, err
	}
	return Written{Bytes: counted.bytes, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// counter counts the bytes that are written.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(text []byte) (int, error) {
	n, err := c.to.Write(text)
	c.bytes += int64(n)
	return n, err
}
