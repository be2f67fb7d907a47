//go:build unix

package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// NoFollow is a flag for opening a file: the last part of its path must not be a symbolic link.
const NoFollow = syscall.O_NOFOLLOW

// TryExclusive acquires the exclusive lock on an open file. It reports false when another process
// has a lock on the file. The lock ends with the process, or when the file is closed.
func TryExclusive(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Share acquires a shared lock on an open file. If alone is true, this process has the exclusive
// lock, which the shared lock replaces. It waits while another process has the exclusive lock.
func Share(file *os.File, _ bool) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH)
}

// GiveToOwner gives an open file to the owner of another file, if the process runs as root. It does
// nothing if the other file does not exist.
func GiveToOwner(file *os.File, other string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner := syscall.Stat_t{}
	err := syscall.Stat(other, &owner)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

// Exposed reports whether a file has any of the permissions in others.
func Exposed(info fs.FileInfo, others fs.FileMode) bool { return info.Mode().Perm()&others != 0 }

// SyncDirectory syncs the names in a directory to disk.
func SyncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// FreeBytes returns how many bytes this user can still write to the disk of a directory.
func FreeBytes(path string) (uint64, error) {
	about := syscall.Statfs_t{}
	if err := syscall.Statfs(path, &about); err != nil {
		return 0, err
	}
	return uint64(about.Bavail) * uint64(about.Bsize), nil
}

// Writable returns an error if this user cannot create files in a directory.
func Writable(path string) error {
	const write, enter = 2, 1
	if err := syscall.Access(path, write|enter); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// FreeFiles returns how many files can still be created on the disk of a directory, and the
// maximum. Both are 0 for a file system without such a limit.
func FreeFiles(path string) (free, all uint64, err error) {
	about := syscall.Statfs_t{}
	if err := syscall.Statfs(path, &about); err != nil {
		return 0, 0, err
	}
	return uint64(about.Ffree), uint64(about.Files), nil
}

// OpenFiles returns how many files and connections this process may have open at the same time.
func OpenFiles() (uint64, error) {
	files := syscall.Rlimit{}
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return files.Cur, err
}
