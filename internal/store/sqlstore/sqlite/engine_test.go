package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// put stores a bank and a program with an id.
func put(t *testing.T, s store.Store, id int) {
	t.Helper()
	err := s.Update(context.Background(), func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: id}); err != nil {
			return err
		}
		return tx.Programs().Put(programOf(id))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, s store.Store) int {
	t.Helper()
	var programs []int
	err := s.View(context.Background(), func(r store.Tx) error {
		var err error
		programs, err = r.Programs().List()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(programs)
}

func TestReopen(t *testing.T) {
	t.Parallel()
	// Characters with a meaning in the name passed to the driver.
	path := filepath.Join(t.TempDir(), "a b%20?mode=memory&c#d.db")
	for want := range 3 {
		s := opened(t, path)
		if got := count(t, s); got != want {
			t.Errorf("found %d programs, want %d", got, want)
		}
		put(t, s, want+1)
		closed(t, s)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file has another name: %v", err)
	}
}

// TestTwoStores checks that two stores on one file, as in two processes, see each other's commits
// and wait for each other.
func TestTwoStores(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	s, two := opened(t, path), opened(t, path)
	put(t, s, 1)
	if got := count(t, two); got != 1 {
		t.Errorf("the second store found %d programs, want 1", got)
	}
	done := make(chan struct{})
	err := s.Update(context.Background(), func(tx store.Tx) error {
		// What was read must still hold when this transaction writes.
		if _, err := tx.Programs().List(); err != nil {
			return err
		}
		go func() {
			defer close(done)
			put(t, two, 2)
		}()
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // No file tells that a process waits for it.
		return tx.Banks().Put(store.Bank{ID: 3})
	})
	<-done
	if err != nil {
		t.Fatal(err)
	}
	if got := count(t, s); got != 2 {
		t.Errorf("the first store found %d programs, want 2", got)
	}
}

// TestViewDuringUpdate checks that a View does not wait for an Update.
func TestViewDuringUpdate(t *testing.T) {
	t.Parallel()
	s := opened(t, filepath.Join(t.TempDir(), "mintmark.db"))
	err := s.Update(context.Background(), func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: 1}); err != nil {
			return err
		}
		if got := count(t, s); got != 0 {
			t.Errorf("found %d programs before the commit", got)
		}
		return tx.Programs().Put(programOf(1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := count(t, s); got != 1 {
		t.Errorf("found %d programs after the commit, want 1", got)
	}
}

func TestOpenUnreachable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	damaged := filepath.Join(folder, "damaged.db")
	if err := os.WriteFile(damaged, []byte("this is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]bool{filepath.Join(folder, "none", "mintmark.db"): true, damaged: false}
	for path, unreachable := range cases {
		_, err := sqlite.Open(context.Background(), path, sqlite.Options{})
		if err == nil || errors.Is(err, store.ErrUnavailable) != unreachable {
			t.Errorf("Open(%q): got the error %v", path, err)
		}
	}
}

func TestMemoryStoresAreSeparate(t *testing.T) {
	t.Parallel()
	var stores [2]store.Store
	for i := range stores {
		s, _, err := cached.OpenMemory(context.Background(), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, s) })
		stores[i] = s
	}
	put(t, stores[0], 1)
	if got := count(t, stores[1]); got != 0 {
		t.Errorf("found %d programs of the other store", got)
	}
}

// TestClock checks that Updates follow a clock passed in the options, wherever it is set.
func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_912_345, time.FixedZone("", 3600))
	by := clock.FrozenAt(now)
	s, _, err := cached.OpenMemory(context.Background(), sqlite.Options{Clock: by})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	want := time.Date(2026, 1, 2, 2, 4, 5, 678e6, time.UTC)
	check := func(r store.Tx) {
		if got := r.Now(); got != want {
			t.Errorf("the time is %v, want %v", got, want)
		}
	}
	look := func(tx store.Tx) error { check(tx); return nil }
	for _, step := range []time.Duration{0, -time.Hour, 2 * time.Hour} {
		by.Advance(step)
		want = want.Add(step)
		viewed := s.View(context.Background(), look)
		updated := s.Update(context.Background(), look)
		if err := errors.Join(viewed, updated); err != nil {
			t.Fatal(err)
		}
	}
}

// raw opens the file of a store without the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
