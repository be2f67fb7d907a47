// Package golden compares printed documents and recorded answers of the repository with what the
// code prints now, and what a document shows with what its commands say. It is for tests only; the package under test owns what is printed.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the compared files with the current output")

// Updating reports whether files are to be written anew.
func Updating() bool { return *update }

// Compare compares text with a file, or writes the file under -update.
func Compare(t testing.TB, path string, text []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("%s differs; if that is meant, run with -update (-file +now):\n%s", path, diff)
	}
}
