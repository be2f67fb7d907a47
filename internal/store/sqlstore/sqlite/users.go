package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"mintmark/internal/store"
)

// usersFile lies beside a database and holds the number of those who have it open. A process that
// is killed does not take itself off, so whoever opens the file next, alone, finds a number other
// than 0 and knows that the last stop was not clean. Each user holds a lock on it as long as it
// lives; that is how one finds out that it is alone.
const usersFile = "-users"

// users is the number of users of a database, held open and locked.
type users struct{ file *os.File }

// enter adds a user. Clean is false when nobody else has the database open and somebody had left it
// without closing it, or when there is no telling. Only one process at a time may enter or leave.
func enter(path string) (u *users, clean bool, err error) {
	const how = os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW
	file, err := os.OpenFile(target(path)+usersFile, how, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	u = &users{file}
	err = u.giveToOwner(target(path))
	if err == nil {
		clean, err = u.join()
	}
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	return u, clean, nil
}

// giveToOwner gives the file to the owner of the database when root has opened both: a command that
// an operator runs as root must not leave a file that the server cannot open. SQLite does the same
// for its own files.
func (u *users) giveToOwner(database string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner := syscall.Stat_t{}
	err := syscall.Stat(database, &owner)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it is only now made
	}
	if err == nil {
		err = u.file.Chown(int(owner.Uid), int(owner.Gid))
	}
	if err != nil {
		return u.failed(err)
	}
	return nil
}

func (u *users) join() (clean bool, err error) {
	count, known := u.read()
	lock := func(how int) error { return syscall.Flock(int(u.file.Fd()), how) }
	clean = true
	err = lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if err == nil {
		clean, count = known && count == 0, 0
	}
	if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) {
		return false, u.failed(err)
	}
	if err := lock(syscall.LOCK_SH); err != nil {
		return false, u.failed(err)
	}
	// Nothing may be written to the database before this is on disk.
	return clean, u.write(count + 1)
}

// leave takes a user off, when it has closed the database well.
func (u *users) leave() error {
	count, _ := u.read()
	err := u.write(max(0, count-1))
	return errors.Join(err, u.file.Close())
}

// abandon lets go of the lock and leaves the number as it is: the next one looks at the database.
func (u *users) abandon() error {
	if u == nil {
		return nil
	}
	return u.file.Close()
}

// read returns the number. Without one it is not known.
func (u *users) read() (count int, known bool) {
	text := make([]byte, 20)
	n, _ := u.file.ReadAt(text, 0)
	count, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	return count, err == nil
}

// write puts the number on disk, and the file itself, which may be new.
func (u *users) write(count int) error {
	// The number has a fixed length, so that no rest of a longer one stays behind it.
	_, err := u.file.WriteAt(fmt.Appendf(nil, "%10d\n", count), 0)
	if err == nil {
		err = u.file.Sync()
	}
	if err == nil {
		err = syncDirectory(filepath.Dir(u.file.Name()))
	}
	if err != nil {
		return u.failed(err)
	}
	return nil
}

func (u *users) failed(err error) error {
	return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, u.file.Name(), err)
}

// syncDirectory puts on disk which files there are.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// checkAfterCrash looks at the database when the last stop was not clean, and puts what the log
// holds into the file. The log is read through the memory of the kernel, which may hold what a
// failed sync did not bring to the disk: nobody may be told of it before it is there.
func checkAfterCrash(ctx context.Context, path string) error {
	file, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && file.Size() == 0 {
		return nil // it is only now made
	}
	found, err := recoverAndCheck(ctx, path)
	if damage(err) {
		found = append(found, err.Error())
	}
	if len(found) > 0 {
		return damaged(path, found)
	}
	return err
}

func damaged(path string, found []string) error {
	return fmt.Errorf("%w: %s: %s; restore it from a backup, or see all that is wrong with "+
		"mintmark doctor --deep", ErrDamaged, path, strings.Join(found, "; "))
}

func recoverAndCheck(ctx context.Context, path string) (found []string, err error) {
	// The first one to read rolls back what was under way, which takes the right to write.
	on, err := connect(fileName(path), "synchronous = FULL")
	if err != nil {
		return nil, err
	}
	found, err = check(ctx, on, false)
	if err == nil && len(found) == 0 {
		_, err = on.exec(ctx, backfill)
	}
	if err != nil || len(found) > 0 {
		// To close it would write the log back, and remove it. Whoever is to save what can be
		// saved needs both files as they are.
		abandon(on)
		return found, err
	}
	return nil, on.close()
}
