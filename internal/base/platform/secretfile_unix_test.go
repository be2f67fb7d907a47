//go:build unix

package platform

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestSecretRule checks which file modes expose a secret.
func TestSecretRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode       fs.FileMode
		groupReads bool
		want       bool
	}{
		{0o600, false, false}, {0o400, false, false}, {0o600, true, false},
		{0o440, false, true}, {0o640, false, true}, {0o440, true, false}, {0o640, true, false},
		{0o460, true, true}, {0o450, true, true}, {0o444, true, true}, {0o404, true, true},
		{0o402, true, true}, {0o604, false, true}, {0o620, false, true},
	} {
		if got := secretExposed(c.mode, c.groupReads); got != c.want {
			t.Errorf("mode %04o, with a group that may read %v: exposed is %v",
				c.mode, c.groupReads, got)
		}
	}
}

// TestCredentials checks files in systemd's credentials directory, outside it and below it.
func TestCredentials(t *testing.T) {
	directory := t.TempDir()
	below := filepath.Join(directory, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	exposed := func(path string, mode fs.FileMode) bool {
		t.Helper()
		if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		// A file of root's own group may be read by that group in any directory.
		if os.Geteuid() == 0 {
			const somebody = 65534
			if err := os.Chown(path, somebody, somebody); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		return SecretExposed(path, info)
	}
	inside, outside := filepath.Join(directory, "ada"), filepath.Join(t.TempDir(), "ada")
	if !exposed(inside, 0o440) {
		t.Error("without systemd a file that a group reads is not exposed")
	}
	t.Setenv("CREDENTIALS_DIRECTORY", directory+"/")
	for _, c := range []struct {
		path string
		mode fs.FileMode
		want bool
	}{
		{inside, 0o440, false}, {inside, 0o400, false}, {inside, 0o444, true},
		{inside, 0o460, true}, {outside, 0o440, true}, {outside, 0o400, false},
		{filepath.Join(below, "ada"), 0o440, true},
	} {
		if got := exposed(c.path, c.mode); got != c.want {
			t.Errorf("%s of mode %04o: exposed is %v", c.path, c.mode, got)
		}
	}
	t.Setenv("CREDENTIALS_DIRECTORY", ".")
	if !exposed(inside, 0o440) {
		t.Error("a relative directory of credentials is believed")
	}
}

// TestSecretOfRoot lets root give a file to the group of this process, and to another one.
func TestSecretOfRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // only root can give files away
	}
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("secret"), 0o440); err != nil {
		t.Fatal(err)
	}
	const somebody = 65534
	for _, c := range []struct {
		owner, group int
		want         bool
	}{
		{0, os.Getegid(), false}, {0, somebody, true}, {somebody, os.Getegid(), true},
	} {
		if err := os.Chown(path, c.owner, c.group); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := SecretExposed(path, info); got != c.want {
			t.Errorf("owner %d, group %d: exposed is %v", c.owner, c.group, got)
		}
	}
}
