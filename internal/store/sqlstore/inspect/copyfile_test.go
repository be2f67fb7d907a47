package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestCopyFile copies an open database, leaves nothing if the copy fails, and refuses to overwrite
// a file.
func TestCopyFile(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	from, to := filepath.Join(directory, "from.db"), filepath.Join(directory, "to.db")
	kept, _, err := cached.Open(t.Context(), from, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	// A database without an installation record holds nothing worth restoring.
	if _, err := CopyFile(t.Context(), from, to); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("without an installation: %v", err)
	}
	if _, err := os.Lstat(to); err == nil {
		t.Error("a copy that failed is left")
	}
	mine := store.InstallationRecord{
		Environment: store.Production, Keyset: "k", PinKey: "p", Made: time.UnixMilli(1),
	}
	err = kept.Update(t.Context(), func(tx store.Tx) error { return tx.Installation().Put(mine) })
	if err != nil {
		t.Fatal(err)
	}
	copied, err := CopyFile(t.Context(), from, to)
	if err != nil || copied.Installation.Keyset != "k" || copied.Checkpoint != "" {
		t.Errorf("%+v, %v", copied, err)
	}
	about, err := os.Stat(to)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the copy is %v, %v", about, err)
	}
	if _, err := CopyFile(t.Context(), from, to); err == nil {
		t.Error("a file was written over")
	}
	again, _, err := cached.Open(t.Context(), to, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
}
