package rows

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mintmark/internal/base/platform"
)

// writeNew writes a file that must not exist yet and that only its owner can read. The file gets
// its name once it is complete and on disk. Until then it has a unique name that ends in .part: a
// failure removes the file, and a run that is killed leaves it.
func writeNew(name string, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); err == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // on success the file has its final name
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := giveName(file.Name(), name); err != nil {
		return err
	}
	return platform.SyncDirectory(filepath.Dir(name))
}

// giveName gives a file its name. Unlike a rename, a link never replaces a file that was created
// meanwhile. On a file system without links the file is renamed.
func giveName(part, name string) error {
	err := os.Link(part, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, statErr := os.Lstat(name); statErr == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return os.Rename(part, name)
}
