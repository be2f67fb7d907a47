package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// filled creates a database with some index pages, and closes it cleanly.
func filled(t *testing.T) (path string) {
	t.Helper()
	e, path := opened(t, Options{})
	fill(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// fill stores encryption keys of a bank, which have an index.
func fill(t *testing.T, e *Engine) {
	t.Helper()
	mustUpdate(t, e, func(s db.Session) error {
		if err := putBank(s, 1); err != nil {
			return err
		}
		return s.Write(`INSERT INTO pci_keys (pci_key_id, bank_id, status)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
			SELECT i, 1, 1 FROM n`)
	})
}

// damageIndexes overwrites the index pages of a closed database with garbage.
func damageIndexes(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, leaf = 4096, 10 // type byte of an index page
	for at := page; at < len(content); at += page {
		if content[at] == leaf {
			copy(content[at:], bytes.Repeat([]byte{0xee}, page))
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// kill leaves the number of users as a killed process does: without its lock, but still counted.
func kill(t *testing.T, path string) {
	t.Helper()
	u, _, err := enter(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.abandon(); err != nil {
		t.Fatal(err)
	}
}

// TestDamaged checks that a damaged file is refused after an unclean stop, also the second time,
// and if the number of users is missing. After a clean stop the file is not checked.
func TestDamaged(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		before  func(path string)
		refused bool
	}{
		"clean":  {func(string) {}, false},
		"killed": {func(path string) { kill(t, path) }, true},
		"no number": {func(path string) {
			if err := os.Remove(path + usersFile); err != nil {
				t.Fatal(err)
			}
		}, true},
		"no database": {func(path string) {
			kill(t, path)
			if err := os.WriteFile(path, []byte("this is no database"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
		"half a number": {func(path string) {
			if err := os.WriteFile(path+usersFile, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
	}
	for name, c := range cases {
		path := filled(t)
		damageIndexes(t, path)
		c.before(path)
		for range 2 {
			s, err := Open(t.Context(), path, Options{})
			if errors.Is(err, ErrDamaged) != c.refused {
				t.Errorf("%s: got the error %v", name, err)
			}
			if err != nil {
				for _, word := range []string{path, "backup", "mintmark doctor --deep"} {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("%s: the error does not tell of %q: %v", name, word, err)
					}
				}
				continue
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDamagedFilesStay checks that a start that refuses a damaged file leaves it unchanged, and its
// log, from which data may be recovered.
func TestDamagedFilesStay(t *testing.T) {
	t.Parallel()
	running := newPath(t)
	e := openedAt(t, running, Options{})
	fill(t, e)
	// The file needs pages to damage, and the log needs content.
	withWriter(e, func(on *connection) { e.checkpoint(on, 0) })
	wantErrors(t, updateTogether(t, e, testUpdate{bank: 7}), []error{nil})
	killed := newPath(t)
	for _, name := range []string{"", "-wal", usersFile} {
		content, err := os.ReadFile(running + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(killed+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damageIndexes(t, killed)
	contents := func() (all [2]string) {
		for i, name := range []string{"", "-wal"} {
			content, err := os.ReadFile(killed + name)
			if err != nil {
				t.Error(err)
			}
			all[i] = string(content)
		}
		return all
	}
	before := contents()
	for range 2 {
		if _, err := Open(t.Context(), killed, Options{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("got the error %v", err)
		}
		if contents() != before {
			t.Error("the files have changed")
		}
	}
}

// TestUsers lets processes open and leave a database, some of them killed, and checks whether the
// next process that opens it alone learns that the last stop was clean.
func TestUsers(t *testing.T) {
	t.Parallel()
	const come, die = '+', 'x' // '-' leaves cleanly; both act on the oldest
	cases := map[string]bool{
		"":       false, // not known
		"+-":     true,
		"+x":     false,
		"++--":   true,  // a server and a command beside it
		"++x-":   false, // the server is killed while the command runs
		"++-x":   false, // the command is killed
		"++x+--": false, // another server starts while the command runs
		"+x+-":   true,  // checked at the second start
		"+++---": true,
	}
	for story, want := range cases {
		path := newPath(t)
		var here []*users
		for _, what := range story {
			if what == come {
				u, _, err := enter(path)
				if err != nil {
					t.Fatal(err)
				}
				here = append(here, u)
				continue
			}
			end := here[0].leave
			if what == die {
				end = here[0].abandon
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
			here = here[1:]
		}
		u, clean, err := enter(path)
		if err != nil {
			t.Fatal(err)
		}
		if clean != want {
			t.Errorf("%q: clean is %v", story, clean)
		}
		if err := u.leave(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUsersFileOfRoot lets root open a database of another user, who must still be able to open it.
func TestUsersFileOfRoot(t *testing.T) {
	t.Parallel()
	const somebody = 4711
	path := filled(t)
	if err := os.Remove(path + usersFile); err != nil {
		t.Fatal(err)
	}
	owner := os.Getuid()
	if owner == 0 {
		owner = somebody
	}
	if err := os.Chown(path, owner, os.Getgid()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"-wal", "-shm", usersFile} {
		var stat syscall.Stat_t
		if err := syscall.Stat(path+name, &stat); err != nil || int(stat.Uid) != owner {
			t.Errorf("%s belongs to user %d, want %d, %v", name, stat.Uid, owner, err)
		}
	}
}

// TestUsersFileIsNoLink checks that nothing is written through a link in place of the users file.
func TestUsersFileIsNoLink(t *testing.T) {
	t.Parallel()
	path := filled(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(os.Remove(path+usersFile), os.Symlink(elsewhere, path+usersFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got the error %v", err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "precious" {
		t.Errorf("the link leads to %q, %v", text, err)
	}
}

// TestEnginesCountAsUsers opens a file twice at the same time, by two paths, and closes both
// cleanly.
func TestEnginesCountAsUsers(t *testing.T) {
	t.Parallel()
	path := filled(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	var engines []*Engine
	for _, path := range []string{path, link} {
		s, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, s)
	}
	wantUsers := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path + usersFile)
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("there are %q users, want %s, %v", got, want, err)
		}
	}
	for _, s := range engines {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		wantUsers(map[bool]string{true: "1", false: "0"}[s == engines[0]])
	}
}
