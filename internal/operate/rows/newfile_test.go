package rows

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// names returns the files of a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

// TestNewFile checks that a file gets its name only when it is complete, and does not replace one
// created meanwhile.
func TestNewFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	err := writeNew(file, func(to io.Writer) error {
		_, err := io.WriteString(to, "half")
		if got := names(t, dir); !strings.HasPrefix(got, "a.") || !strings.HasSuffix(got, ".part") {
			t.Errorf("while it is written the directory holds %q", got)
		}
		_, err2 := io.WriteString(to, " and half")
		return errors.Join(err, err2)
	})
	text, err2 := os.ReadFile(file)
	if err := errors.Join(err, err2); err != nil || string(text) != "half and half" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	broken := errors.New("broken")
	err = writeNew(filepath.Join(dir, "b"), func(to io.Writer) error {
		_, err := io.WriteString(to, "half")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("a failing write gives %v", err)
	}
	err = writeNew(filepath.Join(dir, "c"), func(io.Writer) error {
		return os.WriteFile(filepath.Join(dir, "c"), []byte("mine"), 0o600)
	})
	text, err2 = os.ReadFile(filepath.Join(dir, "c"))
	if !errors.Is(err, fs.ErrExist) || err2 != nil || string(text) != "mine" {
		t.Errorf("a file that was made meanwhile holds %q, %v, %v", text, err, err2)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "d")); err != nil {
		t.Fatal(err)
	}
	err = writeNew(filepath.Join(dir, "d"), func(io.Writer) error { return nil })
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
	if got := names(t, dir); got != "a c d" {
		t.Errorf("the directory holds %q", got)
	}
}
