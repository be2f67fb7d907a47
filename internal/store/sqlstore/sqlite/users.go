package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mintmark/internal/base/platform"
	"mintmark/internal/store"
)

// usersFile is the suffix of a file beside the database that holds the number of processes that
// have the database open. A killed process does not subtract itself. So if a process is alone and
// the number is not 0, the last stop was not clean. Each process holds a shared lock on the file
// while it lives; a process that gets the exclusive lock is alone.
const usersFile = "-users"

// users is that file, open and locked.
type users struct{ file *os.File }

// enter adds this process. clean is false if no other process has the database open and the last
// one did not close it, or if that is not known. The caller holds the lock of alone.
func enter(path string) (u *users, clean bool, err error) {
	const how = os.O_RDWR | os.O_CREATE | platform.NoFollow
	file, err := os.OpenFile(target(path)+usersFile, how, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	u = &users{file}
	// A command run as root must not leave a file that the server cannot open. SQLite does the same
	// for its own files.
	err = platform.GiveToOwner(file, target(path))
	if err != nil {
		err = u.failed(err)
	}
	if err == nil {
		clean, err = u.join()
	}
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	return u, clean, nil
}

func (u *users) join() (clean bool, err error) {
	count, known := u.read()
	clean = true
	single, err := platform.TryExclusive(u.file)
	if err != nil {
		return false, u.failed(err)
	}
	if single {
		clean, count = known && count == 0, 0
	}
	if err := platform.Share(u.file, single); err != nil {
		return false, u.failed(err)
	}
	// Nothing may be written to the database before this is on disk.
	return clean, u.write(count + 1)
}

// leave subtracts this process, which has closed the database.
func (u *users) leave() error {
	count, _ := u.read()
	err := u.write(max(0, count-1))
	return errors.Join(err, u.file.Close())
}

// abandon releases the lock and leaves the number, so that the next process checks the database.
func (u *users) abandon() error {
	if u == nil {
		return nil
	}
	return u.file.Close()
}

// read returns the number, if the file holds one.
func (u *users) read() (count int, known bool) {
	text := make([]byte, 20)
	n, _ := u.file.ReadAt(text, 0)
	count, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	return count, err == nil
}

// write writes the number and syncs the file and its directory.
func (u *users) write(count int) error {
	// The number has a fixed width, so that it overwrites a longer one.
	_, err := u.file.WriteAt(fmt.Appendf(nil, "%10d\n", count), 0)
	if err == nil {
		err = u.file.Sync()
	}
	if err == nil {
		err = platform.SyncDirectory(filepath.Dir(u.file.Name()))
	}
	if err != nil {
		return u.failed(err)
	}
	return nil
}

func (u *users) failed(err error) error {
	return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, u.file.Name(), err)
}

// checkAfterCrash checks the database after a stop that was not clean, writes the log into the file
// and syncs it. The kernel's page cache may hold parts of the log that a failed sync did not write
// to the disk; they must be on disk before any answer shows them.
func checkAfterCrash(ctx context.Context, path string) error {
	file, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && file.Size() == 0 {
		return nil // the database is new
	}
	problems, err := recoverAndCheck(ctx, path)
	if isCorrupt(err) {
		problems = append(problems, err.Error())
	}
	if len(problems) > 0 {
		return damaged(path, problems)
	}
	return err
}

func damaged(path string, problems []string) error {
	return fmt.Errorf("%w: %s: %s; restore it from a backup, or list all problems with mintmark "+
		"doctor --deep", ErrDamaged, path, strings.Join(problems, "; "))
}

func recoverAndCheck(ctx context.Context, path string) (problems []string, err error) {
	// The first reader after a crash recovers the log, for which it must be allowed to write.
	on, err := connect(fileName(path), "synchronous = FULL")
	if err != nil {
		return nil, err
	}
	problems, err = check(ctx, on, false)
	if err == nil && len(problems) == 0 {
		_, err = on.exec(ctx, backfill)
	}
	if err != nil || len(problems) > 0 {
		// Closing would write the log back and remove it. Both files are needed to rescue the
		// data.
		abandon(on)
		return problems, err
	}
	return nil, on.close()
}
