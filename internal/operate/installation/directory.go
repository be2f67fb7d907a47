package installation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"mintmark/internal/base/platform"
)

// gitignore keeps a data directory inside a working tree out of git: keys must not be committed by
// accident.
const gitignore = ".gitignore"

// others are the permissions of all users except the owner.
const others fs.FileMode = 0o077

// makeDirectory creates a data directory that only its owner can enter. It treats an existing empty
// directory like a new one. The mode of a directory with files stays: the directory may have other
// uses, such as a backup.
func makeDirectory(path string) error {
	if err := makeOwnDirectory(path); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	return nil
}

func makeOwnDirectory(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	empty, err := isEmpty(path)
	if err != nil || !empty {
		return err
	}
	// A mounted directory may belong to another user. Start warns about its mode.
	_ = os.Chmod(path, 0o700)
	return os.WriteFile(filepath.Join(path, gitignore), []byte("*\n"), 0o600)
}

func isEmpty(path string) (bool, error) {
	directory, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer directory.Close()
	_, err = directory.Readdirnames(1)
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// WarnOfOthers logs a warning if users other than the owner can enter a data directory. The files
// in it have their own modes, so this is no reason to stop.
func WarnOfOthers(path string, log *slog.Logger) {
	info, err := os.Stat(path)
	if err == nil && platform.Exposed(info, others) {
		log.Warn("other users can enter the data directory; chmod 700 keeps them out",
			"directory", path, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
	}
}
