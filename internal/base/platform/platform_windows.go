//go:build windows

package platform

import (
	"errors"
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// NoFollow is no flag: Windows lets administrators alone make symbolic links.
const NoFollow = 0

// lockedByte is the byte that locks are about. It lies behind the content, because Windows keeps
// other processes from reading what is locked.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1} }

// TryExclusive takes the exclusive lock on an open file. It reports false when another process has
// a lock on the file. The lock ends with the process, or when the file is closed.
func TryExclusive(file *os.File) (bool, error) {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Share takes a shared lock on an open file, in place of the exclusive one if alone says that this
// process has it. It waits while another process has the exclusive lock.
func Share(file *os.File, alone bool) error {
	handle := windows.Handle(file.Fd())
	// A process may have both locks over one handle; the first unlock ends the exclusive one.
	err := windows.LockFileEx(handle, 0, 0, 1, 0, lockedByte())
	if err != nil || !alone {
		return err
	}
	return windows.UnlockFileEx(handle, 0, 1, 0, lockedByte())
}

// GiveToOwner does nothing: Windows has no root whose files others cannot open.
func GiveToOwner(*os.File, string) error { return nil }

// Exposed reports false: Go knows no permissions of a file on Windows but whether it can be
// written. The access control list of the directory says who may read it.
func Exposed(fs.FileInfo, fs.FileMode) bool { return false }

// SecretExposed reports false, as Exposed does.
func SecretExposed(string, fs.FileInfo) bool { return false }

// SyncDirectory does nothing: Windows writes the names in a directory with the file.
func SyncDirectory(string) error { return nil }

// FreeBytes returns how many bytes this user may still write to the disk of a directory.
func FreeBytes(path string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	free := uint64(0)
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}

// Writable looks whether there is the directory: its access control list is not read.
func Writable(path string) error {
	_, err := os.Stat(path)
	return err
}

// FreeFiles returns 0 of 0: NTFS sets no limit.
func FreeFiles(string) (free, all uint64, err error) { return 0, 0, nil }

// OpenFiles returns the largest number: Windows sets no limit for a process.
func OpenFiles() (uint64, error) { return math.MaxUint64, nil }
