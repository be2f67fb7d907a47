package standin

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMissingFolderLeavesNoKeys opens a processor with a folder that does not exist: it fails
// before keys are created.
func TestMissingFolderLeavesNoKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	_, err := Open(Settings{
		Listen: "127.0.0.1:0", Keys: keys, Folder: filepath.Join(dir, "missing"), Mode: "instant",
	})
	if err == nil {
		t.Fatal("the folder is taken")
	}
	if _, err := os.Stat(keys); !os.IsNotExist(err) {
		t.Errorf("the directory of the keys: %v", err)
	}
}
