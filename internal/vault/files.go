package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mintmark/internal/base/platform"
	"mintmark/internal/vault/custody"
)

// directory is the directory of the key files. An empty directory keeps the keys in memory: no file
// is read or written.
type directory string

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

// holds reports whether a file exists. A file that cannot be examined counts as existing; reading
// it reports the reason.
func (d directory) holds(name string) bool {
	if d == "" {
		return false
	}
	_, err := os.Lstat(d.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// readOrCreate returns a key file, and creates it first if it is missing. It reads a new file back
// like any other: of two programs that create it at the same time, both use the one that was linked
// first.
func (d directory) readOrCreate(
	name string, private bool, makeText func() ([]byte, error),
) ([]byte, error) {
	read := os.ReadFile
	if private {
		read = readPrivate
	}
	if d == "" {
		return makeText()
	}
	text, err := read(d.path(name))
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	text, err = makeText()
	if err != nil {
		return nil, err
	}
	// Unlike a rename, a link never replaces an existing key.
	err = d.write(name, text, 0o600, os.Link)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return read(d.path(name))
}

// publish writes a world-readable file, unless it already has this text.
func (d directory) publish(name string, text []byte) error {
	if d == "" {
		return nil
	}
	present, err := os.ReadFile(d.path(name))
	if err == nil && bytes.Equal(present, text) {
		return nil
	}
	return d.write(name, text, 0o644, os.Rename)
}

// write creates a file atomically and durably: it syncs the text to disk in a temporary file before
// the file gets its name, and syncs the directory before it returns.
func (d directory) write(
	name string, text []byte, mode fs.FileMode, place func(from, to string) error,
) error {
	err := os.MkdirAll(string(d), 0o700)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(string(d), "."+name+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // fails after a rename
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	err = place(temporary.Name(), d.path(name))
	if err != nil {
		return err
	}
	return platform.SyncDirectory(string(d))
}

// readPrivate reads a file that only its owner may access. It rejects any other file, because
// others may have read the key.
func readPrivate(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if exposed(info) {
		return nil, fmt.Errorf("%s has mode %04o, so users other than its owner can access it; "+
			"run chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return io.ReadAll(file)
}

func exposed(info fs.FileInfo) bool { return platform.Exposed(info, 0o077) }

// keyFiles are the files that contain keys, in the order in which they are wrapped.
var keyFiles = []string{keysetFile, pinFile, newPinFile, processorFile}

// Exposed returns the key files in a directory that users other than their owner may access.
func Exposed(dir string) []string {
	var paths []string
	for _, name := range append(slices.Clone(keyFiles), custody.FileName) {
		path := directory(dir).path(name)
		if info, err := os.Stat(path); err == nil && exposed(info) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Present reports which key files a directory has, wrapped or in the clear.
func Present(dir string) (keyset, pinKey, processorKey bool) {
	d := directory(dir)
	return d.holds(keysetFile), d.holds(pinFile), d.holds(processorFile)
}
