package platform

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestForbidDumps asks the kernel whether this process can be dumped.
func TestForbidDumps(t *testing.T) {
	defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }()
	if err := ForbidDumps(); err != nil {
		t.Fatal(err)
	}
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil || dumpable != 0 {
		t.Errorf("dumpable is %d, %v", dumpable, err)
	}
}
