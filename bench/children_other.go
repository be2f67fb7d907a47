//go:build !linux

package main

import "os/exec"

// dieWithParent does nothing: only Linux can tell a process that its parent has ended.
func dieWithParent(*exec.Cmd) {}
