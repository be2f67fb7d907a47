package installation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mintmark/internal/store"
)

// DatabaseLock is the lock on the embedded database that this process serves from. Two servers on
// one file would each answer from a read cache that misses the other's changes. The operating
// system releases the lock when the process ends; the text in the file is for people. Short
// commands (load, migrate) take no lock.
type DatabaseLock struct{ lock *flock.Flock }

// LockDatabase locks the embedded database of an installation. It does nothing for a database on a
// server, which may have many nodes, or in memory, which has only one process.
func LockDatabase(l Location, environment store.Environment) (*DatabaseLock, error) {
	if l.Data == "" || l.Database.URL != "" {
		return nil, nil
	}
	if err := makePrivate(filepath.Join(l.Data, DatabaseFile)); err != nil {
		return nil, err
	}
	path, err := l.lockFile()
	if err != nil {
		return nil, err
	}
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR))
	got, err := lockSoon(lock)
	if err != nil {
		return nil, fmt.Errorf("lock the database: %w", err)
	}
	if !got {
		return nil, fmt.Errorf("the database in %s is already served by %s", l.Data, holder(path))
	}
	// The description is for people. If it cannot be written (full disk; Windows locks the
	// content, too), a second server reports another process without its name.
	_ = os.WriteFile(path, []byte(self(environment)+"\n"), 0o600)
	return &DatabaseLock{lock}, nil
}

// lockFile returns the path of the file that a server locks. The file is next to the real database
// file, because two directories may link to one database.
func (l Location) lockFile() (string, error) {
	path, err := filepath.EvalSymlinks(filepath.Join(l.Data, DatabaseFile))
	if err != nil {
		return "", fmt.Errorf("open the database: %w", err)
	}
	return path + ".lock", nil
}

// lockSoon takes the lock. It waits briefly, because doctor takes the same lock for a moment.
func lockSoon(lock *flock.Flock) (bool, error) {
	const patience, again = 200 * time.Millisecond, 10 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := lock.TryLockContext(ctx, again)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return got, err
}

// self returns a description of this process.
func self(environment store.Environment) string {
	command := "mintmark serve"
	if environment == store.Sandbox {
		command = "mintmark sandbox"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("%s, process %d on %s since %s", command, os.Getpid(), host,
		time.Now().UTC().Format(time.RFC3339))
}

// holder returns the description of the serving process, which the process writes after it has
// taken the lock.
func holder(path string) string {
	text, err := os.ReadFile(path)
	name := strings.TrimSpace(string(text))
	if err != nil || name == "" {
		return "another process"
	}
	return name
}

// Release releases the lock. On nil it does nothing.
func (h *DatabaseLock) Release() {
	if h != nil {
		// Closing the file releases the lock even if it returns an error.
		_ = h.lock.Close()
	}
}
