// Package golden compares printed documents and recorded answers in the repository with the current
// output of the code, and the examples in a document with the output of its commands. It is for
// tests only; the package under test owns the output.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the compared files with the current output")

// Updating reports whether the tests rewrite the files.
func Updating() bool { return *update }

// Compare compares text with a file. With -update, it writes the file instead.
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
