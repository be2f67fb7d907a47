package installation

import (
	"os"
	"testing"
)

// TestDatabaseIsPrivate also checks the files that the database creates beside its own.
func TestDatabaseIsPrivate(t *testing.T) {
	dir := t.TempDir()
	kept, err := OpenStore(t.Context(), dir, Database{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", file.Name(), info.Mode())
		}
	}
	if len(files) == 0 {
		t.Error("there is no database")
	}
}
