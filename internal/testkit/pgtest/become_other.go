//go:build !unix

package pgtest

import "os/exec"

// become does nothing: the server runs as the current user.
func become(*exec.Cmd, uint32, uint32) {}
