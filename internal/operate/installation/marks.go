package installation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"mintmark/internal/store"
)

// The marks of a data directory: files that name its environment. The keys of a sandbox may come
// from a seed, and its callers' secrets are public, so a sandbox's directory must not serve a bank.
const (
	SandboxMark    = "sandbox"
	productionMark = "production"
	marksLock      = ".marks.lock"
)

// marks holds the contents of these files, for people.
var marks = map[store.Environment]string{
	store.Sandbox:    "Made by mintmark sandbox; not for production.\n",
	store.Production: "Made for production; mintmark sandbox leaves it alone.\n",
}

// MarkDirectory marks a data directory for an environment. A sandbox accepts its own directory, or
// one without any file of Mintmark: files without a mark are production's.
func MarkDirectory(ctx context.Context, data string, environment store.Environment) error {
	if data == "" {
		return nil
	}
	if err := makeDirectory(data); err != nil {
		return err
	}
	// Two processes may start at the same time; the second must see the mark of the first.
	lock := flock.New(filepath.Join(data, marksLock))
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("lock the data directory: %w", err)
	}
	others := []string{SandboxMark}
	if environment == store.Sandbox {
		others = []string{productionMark, DatabaseFile, "keyset.json", "pin-private.pem"}
	}
	mark := filepath.Join(data, string(environment))
	if there, err := holds(mark); there || err != nil {
		return err
	}
	for _, name := range others {
		there, err := holds(filepath.Join(data, name))
		if err != nil {
			return err
		}
		if there {
			return foreign(data, name, environment)
		}
	}
	if err := os.WriteFile(mark, []byte(marks[environment]), 0o600); err != nil {
		return fmt.Errorf("mark the data directory: %w", err)
	}
	return nil
}

func foreign(data, name string, environment store.Environment) error {
	if environment == store.Sandbox {
		return fmt.Errorf("%s belongs to production (it contains %s): a sandbox needs its own "+
			"directory", data, name)
	}
	return fmt.Errorf("%s belongs to a sandbox (it contains %s): it cannot be used in production",
		data, name)
}

func holds(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the data directory: %w", err)
	}
	return true, nil
}
