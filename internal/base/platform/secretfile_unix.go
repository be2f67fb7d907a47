//go:build unix

package platform

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// SecretExposed reports whether users other than that of this process can access a file with a
// secret for this process, such as a passphrase. The group may read such a file in two cases, and
// must never be able to change it:
//   - It is a systemd credential. Its group bits are then the mask of an access control list, with
//     which systemd admits only the user of the service.
//   - It belongs to root and to the group of this process, like files in /etc that a service may
//     read but not change.
func SecretExposed(path string, info fs.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	fromRoot := known && owner.Uid == 0 && int(owner.Gid) == os.Getegid()
	return secretExposed(info.Mode(), fromRoot || isCredential(path))
}

// secretExposed is the rule of SecretExposed.
func secretExposed(mode fs.FileMode, groupReads bool) bool {
	const anybodyElse, groupsRead = 0o077, 0o040
	if groupReads {
		return mode.Perm()&(anybodyElse&^groupsRead) != 0
	}
	return mode.Perm()&anybodyElse != 0
}

// isCredential reports whether a path is in the directory of credentials that systemd gave to this
// process.
func isCredential(path string) bool {
	directory := os.Getenv("CREDENTIALS_DIRECTORY")
	return filepath.IsAbs(directory) && filepath.Dir(path) == filepath.Clean(directory)
}
