package rows

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testinstall"
)

// TestLoadedFiles checks that a link leads to no file outside the directory of a loaded file, and
// that only regular files of limited size are read.
func TestLoadedFiles(t *testing.T) {
	t.Parallel()
	location := installation.Location{Data: filepath.Join(t.TempDir(), "data")}
	testinstall.Init(t, location)
	directory := t.TempDir()
	for name, target := range map[string]string{
		"outside.html": filepath.Join(location.Data, installation.DatabaseFile),
		"up.html":      "../up.html",
		"endless.html": "/dev/zero", "inside.html": "text.html",
	} {
		if err := os.Symlink(target, filepath.Join(directory, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(directory, "directory.html"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, length := range map[string]int{"text.html": 1, "long.html": 2<<20 + 1} {
		text := bytes.Repeat([]byte("a"), length)
		if err := os.WriteFile(filepath.Join(directory, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(directory, "bank.yaml")
	for name, want := range map[string]string{
		"text.html": "", "inside.html": "",
		"outside.html":   "cannot be read: path escapes from parent",
		"up.html":        "cannot be read: path escapes from parent",
		"endless.html":   "cannot be read: path escapes from parent",
		"directory.html": "is not a regular file", "long.html": "has more than 2 MB",
	} {
		text := fmt.Sprintf("banks: [{bankId: 1, name: First}]\ndocuments: [{documentId: 1, "+
			"bankId: 1, culture: en-US, documentType: CardInfo, title: Terms, "+
			"effectiveDate: 2026-01-01T00:00:00Z, html: %s}]\n", name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(t.Context(), LoadOptions{
			Location: location, File: file, DryRun: true, Tell: func(string) {},
		})
		if want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
