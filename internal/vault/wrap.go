package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mintmark/internal/vault/custody"
)

// beginWrapped creates the data key of a directory without key files, if NewWrapping is set.
func (s Settings) beginWrapped() error {
	dir := directory(s.Dir)
	if s.NewWrapping == nil || s.MustExist || dir == "" || dir.holds(custody.FileName) {
		return nil
	}
	for _, name := range keyFiles {
		if dir.holds(name) {
			return nil
		}
	}
	return s.putNewWrapping()
}

// putNewWrapping never replaces an existing data key: the files it wraps would be lost.
func (s Settings) putNewWrapping() error {
	w, err := s.NewWrapping()
	if err != nil {
		return err
	}
	text, err := w.Text()
	if err != nil {
		return err
	}
	err = directory(s.Dir).write(custody.FileName, text, 0o600, os.Link)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was first
	}
	return err
}

// dataKey unwraps the data key of the directory. It reports false without wrapping.json.
func (s Settings) dataKey() (custody.Key, bool, error) {
	dir := directory(s.Dir)
	if !dir.holds(custody.FileName) {
		return custody.Key{}, false, nil
	}
	w, err := s.wrapping()
	if err != nil {
		return custody.Key{}, true, err
	}
	if s.Unwrap == nil {
		return custody.Key{}, true, fmt.Errorf("the keys in %s are wrapped by %s", dir, w)
	}
	key, err := s.Unwrap(w)
	if err != nil {
		return custody.Key{}, true, fmt.Errorf("unwrap the keys in %s: %w", dir, err)
	}
	return key, true, nil
}

// wrapping reads wrapping.json.
func (s Settings) wrapping() (custody.Wrapping, error) {
	text, err := s.readRaw(custody.FileName)
	if err != nil {
		return custody.Wrapping{}, err
	}
	w, err := custody.Parse(text)
	if err != nil {
		return custody.Wrapping{}, fmt.Errorf("read %s: %w", custody.FileName, err)
	}
	return w, nil
}

func (s Settings) readRaw(name string) ([]byte, error) {
	if s.AllowReadable {
		return os.ReadFile(directory(s.Dir).path(name))
	}
	return readPrivate(directory(s.Dir).path(name))
}

// wrap returns the text of a key file as this directory stores it: wrapped if it has a data key.
func (s Settings) wrap(name string, text []byte) ([]byte, error) {
	key, wrapped, err := s.dataKey()
	if err != nil || !wrapped {
		return text, err
	}
	return key.Seal(name, text)
}

// unwrap returns the text of a stored key file. It accepts a clear file beside wrapped ones,
// because an interrupted Wrap leaves such files. A foreign file gains nothing there: the database
// has the fingerprints of its keys.
func (s Settings) unwrap(name string, text []byte) ([]byte, error) {
	if !custody.IsWrapped(text) {
		return text, nil
	}
	key, wrapped, err := s.dataKey()
	if err != nil {
		return nil, err
	}
	path := directory(s.Dir).path(name)
	if !wrapped {
		return nil, fmt.Errorf("%s is wrapped, and %s is missing: copy the one that belongs to it",
			path, directory(s.Dir).path(custody.FileName))
	}
	opened, err := key.Open(name, text)
	if err != nil {
		return nil, fmt.Errorf("unwrap %s: %w", path, err)
	}
	return opened, nil
}

// replace replaces the text of a key file, wrapped if the directory has a data key.
func (s Settings) replace(name string, text []byte) error {
	lying, err := s.wrap(name, text)
	if err != nil {
		return err
	}
	return directory(s.Dir).write(name, lying, 0o600, os.Rename)
}
