//go:build !linux

package platform

// ForbidDumps does nothing: only Linux lets a process request it.
func ForbidDumps() error { return nil }
