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

// filled makes a database with some pages of an index in it, closed well.
func filled(t *testing.T) (path string) {
	t.Helper()
	e, path := opened(t, Options{})
	fill(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// fill keeps encryption keys of a bank, which have an index.
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

// spoil damages the pages of the indexes of a database that is closed: they hold no page of a tree
// any more.
func spoil(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, leaf = 4096, 10 // of an index
	for at := page; at < len(content); at += page {
		if content[at] == leaf {
			copy(content[at:], bytes.Repeat([]byte{0xee}, page))
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// kill leaves the number of users as it is when a process is killed: its lock is gone, and it has
// not taken itself off.
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

// TestDamaged holds that a damaged file is refused after a stop that was not clean, also the second
// time, and when the number of users is missing. After a clean stop the file is not checked.
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
		spoil(t, path)
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

// TestDamagedFilesStay holds that a start that refuses a damaged file leaves it as it is, and the
// log beside it, from which it may be saved.
func TestDamagedFilesStay(t *testing.T) {
	t.Parallel()
	running := newPath(t)
	e := openedAt(t, running, Options{})
	fill(t, e)
	// There has to be something in the file to be damaged, and something in the log.
	withWriter(e, func(on *connection) { e.checkpoint(on, 0) })
	wantErrors(t, together(t, e, ask{bank: 7}), []error{nil})
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
	spoil(t, killed)
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

// TestUsers has processes come and go beside each other, some of them killed, and looks whether the
// next one that comes alone is told that the last stop was clean.
func TestUsers(t *testing.T) {
	t.Parallel()
	const come, die = '+', 'x' // '-' leaves well; each is about the one that came first
	cases := map[string]bool{
		"":       false, // not known
		"+-":     true,
		"+x":     false,
		"++--":   true,  // a server and a command beside it
		"++x-":   false, // the server is killed beside it
		"++-x":   false, // the command is killed
		"++x+--": false, // another server comes while the command runs
		"+x+-":   true,  // it was looked at
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

// TestUsersFileOfRoot has root open a database that belongs to another user, who has to be able to
// open it as well.
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

// TestUsersFileIsNoLink holds that nothing is written through a link that lies in the way.
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

// TestEnginesTakeThemselvesOff opens a file twice at once, by two paths, and then leaves it clean.
func TestEnginesTakeThemselvesOff(t *testing.T) {
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
