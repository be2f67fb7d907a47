//go:build windows

package platform

import (
	"errors"
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// NoFollow is no flag: on Windows only administrators can create symbolic links.
const NoFollow = 0

// lockedByte returns the position of the byte that is locked. It is after the content, because
// Windows prevents other processes from reading a locked range.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1} }

// TryExclusive acquires the exclusive lock on an open file. It reports false when another process
// has a lock on the file. The lock ends with the process, or when the file is closed.
func TryExclusive(file *os.File) (bool, error) {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Share acquires a shared lock on an open file. If alone is true, this process has the exclusive
// lock, which the shared lock replaces. It waits while another process has the exclusive lock.
func Share(file *os.File, alone bool) error {
	handle := windows.Handle(file.Fd())
	// A process can have both locks through one handle; the first unlock releases the exclusive
	// one.
	err := windows.LockFileEx(handle, 0, 0, 1, 0, lockedByte())
	if err != nil || !alone {
		return err
	}
	return windows.UnlockFileEx(handle, 0, 1, 0, lockedByte())
}

// GiveToOwner does nothing: Windows has no root whose files other users cannot open.
func GiveToOwner(*os.File, string) error { return nil }

// Exposed reports false: on Windows Go knows only whether a file is writable. The access control
// list of the directory determines who may read it.
func Exposed(fs.FileInfo, fs.FileMode) bool { return false }

// SecretExposed reports false, like Exposed.
func SecretExposed(string, fs.FileInfo) bool { return false }

// SyncDirectory does nothing: Windows writes the names in a directory with the file.
func SyncDirectory(string) error { return nil }

// FreeBytes returns how many bytes this user can still write to the disk of a directory.
func FreeBytes(path string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	free := uint64(0)
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}

// Writable returns an error if the directory does not exist. It does not read the access control
// list.
func Writable(path string) error {
	_, err := os.Stat(path)
	return err
}

// FreeFiles returns 0 and 0: NTFS has no limit.
func FreeFiles(string) (free, all uint64, err error) { return 0, 0, nil }

// OpenFiles returns the maximum: Windows has no limit per process.
func OpenFiles() (uint64, error) { return math.MaxUint64, nil }
