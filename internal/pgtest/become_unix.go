//go:build unix

package pgtest

import (
	"os/exec"
	"syscall"
)

// become has a command run as a user of the system.
func become(command *exec.Cmd, uid, gid uint32) {
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
}
