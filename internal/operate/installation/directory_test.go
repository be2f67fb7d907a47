package installation

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDirectoryKeepsOutOfGit creates a data directory in a working tree and checks which files git
// would commit.
func TestDirectoryKeepsOutOfGit(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	git(t, tree, "init", "--quiet")
	data := filepath.Join(tree, "deep", "data")
	if err := makeDirectory(data); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(data, "keyset.json"))
	if status := git(t, tree, "status", "--porcelain"); status != "" {
		t.Errorf("git would commit %q", status)
	}
	if err := os.Remove(filepath.Join(data, gitignore)); err != nil {
		t.Fatal(err)
	}
	if status := git(t, tree, "status", "--porcelain"); status == "" {
		t.Error("git does not see the directory anyway, so the test shows nothing")
	}
}

// TestDirectoryIsPrivate checks the mode of a new directory and of an existing one.
func TestDirectoryIsPrivate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after os.FileMode
		holds         string
		ignored       bool
	}{
		"made":    {0, 0o700, "", true},
		"empty":   {0o755, 0o700, "", true},
		"in use":  {0o750, 0o750, "something", false},
		"ignored": {0o755, 0o755, gitignore, true},
	} {
		data := filepath.Join(t.TempDir(), "data")
		if row.before != 0 {
			if err := os.Mkdir(data, row.before); err != nil {
				t.Fatal(err)
			}
		}
		if row.holds != "" {
			write(t, filepath.Join(data, row.holds))
		}
		if err := makeDirectory(data); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != row.after {
			t.Errorf("%s: the mode is %v, want %v", name, got, row.after)
		}
		_, err = os.Stat(filepath.Join(data, gitignore))
		if (err == nil) != row.ignored {
			t.Errorf("%s: the .gitignore: %v", name, err)
		}
		var log bytes.Buffer
		WarnOfOthers(data, slog.New(slog.NewTextHandler(&log, nil)))
		if warned := strings.Contains(log.String(), "mode=0"); warned != (row.after != 0o700) {
			t.Errorf("%s: the log says %q", name, log.String())
		}
	}
}

func git(t *testing.T, tree string, arguments ...string) string {
	t.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = tree
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", arguments, err, out)
	}
	return string(out)
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
}
