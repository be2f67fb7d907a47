//go:build unix

package pgtest

import (
	"os/exec"
	"syscall"
)

// become runs a command as another user.
func become(command *exec.Cmd, uid, gid uint32) {
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
}
