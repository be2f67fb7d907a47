//go:build !linux

package platform

// ForbidDumps does nothing: Linux alone lets a process ask for it.
func ForbidDumps() error { return nil }
