package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mintmark/internal/base/platform"
	"mintmark/internal/vault/custody"
)

// step is one change of a directory. A process may end between two steps of a list: the directory
// can be opened at any time, and a newly computed list does the remaining steps.
type step func() error

func run(steps []step) error {
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// KeyFile is a key file in a directory.
type KeyFile struct {
	Name    string
	Wrapped bool
}

// Custody returns the wrapping of a directory and its key files. It needs no passphrase. The
// wrapping is nil without wrapping.json.
func Custody(s Settings) (*custody.Wrapping, []KeyFile, error) {
	var files []KeyFile
	for _, name := range keyFiles {
		text, err := s.readRaw(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		files = append(files, KeyFile{name, custody.IsWrapped(text)})
	}
	if !directory(s.Dir).holds(custody.FileName) {
		return nil, files, nil
	}
	w, err := s.wrapping()
	return &w, files, err
}

// Wrap wraps the key files of a directory with NewWrapping. If some are already wrapped, it wraps
// the others with the same data key.
func Wrap(s Settings) error {
	steps, err := s.stepsToWrap()
	if err != nil {
		return err
	}
	return run(steps)
}

func (s Settings) stepsToWrap() ([]step, error) {
	if err := Check(s); err != nil {
		return nil, err
	}
	present, files, err := Custody(s)
	if err != nil {
		return nil, err
	}
	var steps []step
	if present == nil {
		steps = append(steps, s.putNewWrapping)
	}
	for _, file := range files {
		if file.Wrapped {
			continue
		}
		steps = append(steps, func() error {
			text, err := s.readRaw(file.Name)
			if err != nil {
				return err
			}
			return s.replace(file.Name, text)
		})
	}
	return steps, nil
}

// Rewrap wraps the data key of a directory again and does not touch the key files, so that there is
// a single step. The previous custodians or service are no longer needed, except for a copy of the
// old wrapping.json.
func Rewrap(s Settings, again func(custody.Key) (custody.Wrapping, error)) error {
	if err := Check(s); err != nil {
		return err
	}
	key, wrapped, err := s.dataKey()
	if err != nil {
		return err
	}
	if !wrapped {
		return fmt.Errorf("the keys in %s are not wrapped", s.Dir)
	}
	w, err := again(key)
	if err != nil {
		return err
	}
	text, err := w.Text()
	if err != nil {
		return err
	}
	return directory(s.Dir).write(custody.FileName, text, 0o600, os.Rename)
}

// Unwrap decrypts the key files of a directory and removes the data key.
func Unwrap(s Settings) error {
	steps, err := s.stepsToUnwrap()
	if err != nil {
		return err
	}
	return run(steps)
}

func (s Settings) stepsToUnwrap() ([]step, error) {
	if err := Check(s); err != nil {
		return nil, err
	}
	key, wrapped, err := s.dataKey()
	if err != nil {
		return nil, err
	}
	if !wrapped {
		return nil, fmt.Errorf("the keys in %s are not wrapped", s.Dir)
	}
	_, files, err := Custody(s)
	if err != nil {
		return nil, err
	}
	var steps []step
	for _, file := range files {
		if !file.Wrapped {
			continue
		}
		steps = append(steps, func() error {
			text, err := s.readRaw(file.Name)
			if err != nil {
				return err
			}
			opened, err := key.Open(file.Name, text)
			if err != nil {
				return fmt.Errorf("unwrap %s: %w", file.Name, err)
			}
			return directory(s.Dir).write(file.Name, opened, 0o600, os.Rename)
		})
	}
	return append(steps, s.forgetDataKey), nil
}

// forgetDataKey removes wrapping.json, unless a file in the directory still needs it: a copy made
// by an operator, or a key file of a later version.
func (s Settings) forgetDataKey() error {
	dir := directory(s.Dir)
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		text, err := beginning(dir.path(entry.Name()))
		if err != nil {
			return err
		}
		if custody.IsWrapped(text) {
			return fmt.Errorf("%s is wrapped too, but is not a key file of this program: %s stays",
				dir.path(entry.Name()), custody.FileName)
		}
	}
	return dir.remove(custody.FileName)
}

// maxKeyFile exceeds the length of any key file.
const maxKeyFile = 1 << 20

// beginning reads at most maxKeyFile bytes of a file.
func beginning(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxKeyFile))
}

// remove removes a file durably. It is no error if the file is gone.
func (d directory) remove(name string) error {
	err := os.Remove(d.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return platform.SyncDirectory(string(d))
}
