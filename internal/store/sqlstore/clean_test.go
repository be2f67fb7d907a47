package sqlstore

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
)

// filled makes a database with some pages in it, closed well.
func filled(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mintmark.db")
	s := stocked(t, path, 200)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// spoil damages the pages of an index of a database that nobody has open: they hold no page of a
// tree any more.
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
// time, and when the number of users is not there. After a clean stop nobody looks.
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
			s, err := Open(t.Context(), path)
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
	running := filepath.Join(t.TempDir(), "mintmark.db")
	s := stocked(t, running, 200)
	killed := filepath.Join(t.TempDir(), "mintmark.db")
	one := <-s.writers
	s.checkpoint(one, 0) // so that there is something in the file to be damaged
	s.writers <- one
	wantErrors(t, together(s, ask{bank: 7}), []error{nil})
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
		if _, err := Open(t.Context(), killed); !errors.Is(err, ErrDamaged) {
			t.Errorf("got the error %v", err)
		}
		if contents() != before {
			t.Error("the files have changed")
		}
	}
}

// TestUsers has processes come and go beside each other, some of them killed, and looks at what the
// next one is told that comes alone.
func TestUsers(t *testing.T) {
	t.Parallel()
	const come, goWell, die = '+', '-', 'x' // of the one who came first
	cases := map[string]bool{
		"":       false, // nobody knows
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
		path := filepath.Join(t.TempDir(), "mintmark.db")
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

// TestUsersFileOfRoot has root open a database of somebody else, who has to be able to open it as
// well.
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
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"-wal", "-shm", usersFile} {
		var found syscall.Stat_t
		if err := syscall.Stat(path+name, &found); err != nil || int(found.Uid) != owner {
			t.Errorf("%s belongs to user %d, want %d, %v", name, found.Uid, owner, err)
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
	if _, err := Open(t.Context(), path); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got the error %v", err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "precious" {
		t.Errorf("the link leads to %q, %v", text, err)
	}
}

// TestStoresTakeThemselvesOff opens a file twice at once, by two paths, and then leaves it clean.
func TestStoresTakeThemselvesOff(t *testing.T) {
	t.Parallel()
	path := filled(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	var stores []*Store
	for _, path := range []string{path, link} {
		s, err := Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, s)
	}
	wantUsers := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path + usersFile)
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("there are %q users, want %s, %v", got, want, err)
		}
	}
	for _, s := range stores {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		wantUsers(map[bool]string{true: "1", false: "0"}[s == stores[0]])
	}
}

// checked opens a file to look at it, and closes it again.
func checked(ctx context.Context, t *testing.T, path string, deep bool) ([]string, error) {
	t.Helper()
	one, err := openToLook(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := one.close(); err != nil {
			t.Error(err)
		}
	}()
	return check(ctx, one, deep)
}

// TestCheck looks at sound and damaged files, also beside a store that has them open.
func TestCheck(t *testing.T) {
	t.Parallel()
	path := filled(t)
	look := func(deep bool) []string {
		t.Helper()
		found, err := checked(t.Context(), t, path, deep)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	wantErrors(t, together(s, ask{bank: 7}), []error{nil}) // is in the log only
	if found := append(look(false), look(true)...); len(found) > 0 {
		t.Errorf("a sound file in use: %q", found)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// The cards have no customer any more.
	one, err := newLiteSession(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`PRAGMA foreign_keys = 0`, `DELETE FROM customers`,
	} {
		if _, err := one.exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.close(); err != nil {
		t.Fatal(err)
	}
	if found := look(false); len(found) > 0 {
		t.Errorf("a quick check of a file whose pages are sound: %q", found)
	}
	found := strings.Join(look(true), "\n")
	if !strings.Contains(found, "has no row in customers") {
		t.Errorf("cards without a customer: %q", found)
	}
	spoil(t, path)
	for _, deep := range []bool{false, true} {
		if len(look(deep)) == 0 {
			t.Errorf("a damaged file looks sound (deep: %v)", deep)
		}
	}
}

// TestCheckThatIsRefused looks for a file that is not there, and gives up.
func TestCheckThatIsRefused(t *testing.T) {
	t.Parallel()
	path := filled(t)
	if _, err := openToLook(path + "-none"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a file that is not there: got the error %v", err)
	}
	if _, err := os.Stat(path + "-none"); err == nil {
		t.Error("a check made a file")
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checked(stopped, t, path, false); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that was called off: got the error %v", err)
	}
}
