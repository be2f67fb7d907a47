package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"mintmark/internal/store"
)

// alone runs a function under a lock on a directory. Without it, two processes that migrate the
// same file could both find a migration missing and run it twice: each migration is its own
// transaction, so the lock of the database does not help. The lock ends with the process.
func alone(ctx context.Context, directory string, fn func() error) error {
	lock := flock.New(directory, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" {
		// Windows cannot lock a directory.
		lock = flock.New(filepath.Join(directory, "mintmark.migrations.lock"))
	}
	defer lock.Close()
	const again = 10 * time.Millisecond
	if _, err := lock.TryLockContext(ctx, again); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: lock %s: %w", store.ErrUnavailable, directory, err)
	}
	return fn()
}

// home returns the directory of a file, which need not exist yet.
func home(path string) string { return filepath.Dir(target(path)) }

// target returns the file that a path leads to, with all links resolved: two processes may reach
// the same file through different links.
func target(path string) string {
	const most = 40 // links in a row, as many as Linux follows
	for range most {
		directory, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			break // opening the file reports what is wrong
		}
		path = filepath.Join(directory, filepath.Base(path))
		link, err := os.Readlink(path)
		if err != nil {
			return path // no link, or nothing there yet
		}
		path = link
		if !filepath.IsAbs(link) {
			path = filepath.Join(directory, link)
		}
	}
	return path
}
