package main

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill a process when the bench ends.
func dieWithParent(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
