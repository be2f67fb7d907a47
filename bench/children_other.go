//go:build !linux

package main

import "os/exec"

// dieWithParent does nothing: only Linux can notify a process of the end of its parent.
func dieWithParent(*exec.Cmd) {}
