package intake

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const someRows = `{"kind":"cards"}` + "\n"

// TestSpool holds that rows which are kept on disk can be read by their owner alone, and are gone
// afterwards.
func TestSpool(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file, err := SpoolRows("x", directory, strings.NewReader(someRows))
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.text.Stat()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(directory, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	name := filepath.Join(directory, "rows")
	if err := os.WriteFile(name, []byte(someRows), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := OpenRows(name)
	if err != nil || opened.Digest != file.Digest || opened.Close() != nil {
		t.Errorf("opened %+v, %v", opened, err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("a file of the caller: %v", err)
	}
}
