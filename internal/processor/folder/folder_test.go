package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func opened(t *testing.T) *Folder {
	t.Helper()
	f, err := Open(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, f *Folder, part string) []string {
	t.Helper()
	entries, err := os.ReadDir(f.Path(part, ""))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

// TestWholeOrNothing stops writing at each step. The file contains either the old text or the new
// one, and nothing else is left behind.
func TestWholeOrNothing(t *testing.T) {
	t.Parallel()
	steps := []string{"write", "sync", "rename", "sync out"}
	for _, step := range steps {
		f := opened(t)
		if err := f.Write(Out, "a", []byte("old")); err != nil {
			t.Fatal(err)
		}
		stopped := errors.New("stopped")
		f.Before = func(name string) error {
			if name == step {
				return stopped
			}
			return nil
		}
		err := f.Write(Out, "a", []byte("new"))
		text, unread := os.ReadFile(f.Path(Out, "a"))
		want := "old"
		if step == "sync out" {
			want = "new"
		}
		if !errors.Is(err, stopped) || unread != nil || string(text) != want ||
			len(names(t, f, Out)) != 1 {
			t.Errorf("%s: %v, the file is %q, there are %v", step, err, text, names(t, f, Out))
		}
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	f := opened(t)
	for _, text := range []string{"one", "two"} {
		if err := f.Write(In, "a", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := f.Move("a", Done, "b"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(f.Path(Done, "b"))
	if err != nil || string(text) != "two" || len(names(t, f, In)) > 0 {
		t.Errorf("%q, %v", text, err)
	}
	if err := f.Remove(Done, "b"); err != nil || len(names(t, f, Done)) > 0 {
		t.Errorf("%v, there are %v", err, names(t, f, Done))
	}
	if err := f.Remove(Done, "b"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestLeftOvers checks that a start removes what an old crash left behind, and nothing else.
func TestLeftOvers(t *testing.T) {
	t.Parallel()
	f := opened(t)
	for _, name := range []string{partial + "old", partial + "new", "old"} {
		if err := os.WriteFile(f.Path(Out, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "old") {
			before := time.Now().Add(-2 * leftOver)
			if err := os.Chtimes(f.Path(Out, name), before, before); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := Open(filepath.Dir(f.Path(Out, "")), time.Now()); err != nil {
		t.Fatal(err)
	}
	if left := names(t, f, Out); !slices.Equal(left, []string{partial + "new", "old"}) {
		t.Errorf("left are %v", left)
	}
}
