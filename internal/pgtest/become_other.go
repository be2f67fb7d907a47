//go:build !unix

package pgtest

import "os/exec"

// become does nothing: there is no superuser here whom the server would refuse to run for.
func become(*exec.Cmd, uint32, uint32) {}
