package platform

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLocks lets two open files of one name lock each other out, as two processes do. The locks
// must not prevent either from reading what the other has written.
func TestLocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|NoFollow, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	wantExclusive := func(file *os.File, want bool) {
		t.Helper()
		if got, err := TryExclusive(file); got != want || err != nil {
			t.Fatalf("the exclusive lock is %v, %v; want %v", got, err, want)
		}
	}
	first, second := open(), open()
	defer second.Close()
	wantExclusive(first, true)
	wantExclusive(second, false)
	if err := Share(first, true); err != nil {
		t.Fatal(err)
	}
	wantExclusive(second, false)
	if err := Share(second, false); err != nil {
		t.Fatal(err)
	}
	if _, err := first.WriteAt([]byte("1"), 0); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "1" || err != nil {
		t.Errorf("read is %q, %v", text, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	wantExclusive(second, true)
}

// TestDisk queries an existing directory and a missing one.
func TestDisk(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	if free, err := FreeBytes(here); free == 0 || err != nil {
		t.Errorf("%d bytes are free, %v", free, err)
	}
	if err := SyncDirectory(here); err != nil {
		t.Error(err)
	}
	if _, err := FreeBytes(filepath.Join(here, "nowhere")); err == nil {
		t.Error("a directory that is not there has free space")
	}
	if most, err := OpenFiles(); most == 0 || err != nil {
		t.Errorf("%d files may be open, %v", most, err)
	}
}
