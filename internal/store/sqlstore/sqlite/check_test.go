package sqlite

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// checked opens a file for inspection, checks it, and closes it again.
func checked(ctx context.Context, t *testing.T, path string, deep bool) ([]string, error) {
	t.Helper()
	conn, err := openToLook(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.close(); err != nil {
			t.Error(err)
		}
	}()
	return check(ctx, conn, deep)
}

// TestCheck checks sound and damaged files, also while a store has them open.
func TestCheck(t *testing.T) {
	t.Parallel()
	path := filled(t)
	look := func(deep bool) []string {
		t.Helper()
		problems, err := checked(t.Context(), t, path, deep)
		if err != nil {
			t.Fatal(err)
		}
		return problems
	}
	e := openedAt(t, path, Options{})
	wantErrors(t, updateTogether(t, e, testUpdate{bank: 7}), []error{nil}) // is in the log only
	if problems := append(look(false), look(true)...); len(problems) > 0 {
		t.Errorf("a sound file in use: %q", problems)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	// Leaves the keys without a bank.
	on, err := connect(fileName(path), "foreign_keys = 0")
	if err != nil {
		t.Fatal(err)
	}
	_, err = on.exec(t.Context(), `DELETE FROM banks`)
	if err := errors.Join(err, on.close()); err != nil {
		t.Fatal(err)
	}
	if problems := look(false); len(problems) > 0 {
		t.Errorf("a quick check of a file whose pages are sound: %q", problems)
	}
	problems := strings.Join(look(true), "\n")
	if !strings.Contains(problems, "has no row in banks") {
		t.Errorf("keys without a bank: %q", problems)
	}
	damageIndexes(t, path)
	for _, deep := range []bool{false, true} {
		if len(look(deep)) == 0 {
			t.Errorf("a damaged file looks sound (deep: %v)", deep)
		}
	}
}

// TestCheckThatIsRefused checks a missing file, and cancels a check.
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

// TestLookIntoDamage inspects a damaged file from outside. An inspection of the tables alone
// reports that the file is damaged; a deep one lists what is broken instead of the error that it
// causes.
func TestLookIntoDamage(t *testing.T) {
	t.Parallel()
	path := filled(t)
	count := func(s db.Session) error {
		var keys int
		_, err := db.Find(s, []any{&keys}, `SELECT count(*) FROM pci_keys INDEXED BY pci_keys_bank
			WHERE bank_id = 1`)
		if err == nil && keys != 2000 {
			t.Errorf("found %d keys", keys)
		}
		return err
	}
	for _, deep := range []bool{false, true} {
		look, err := LookInto(t.Context(), path, deep, count)
		if err != nil || len(look.Damage) > 0 || look.Version == "" {
			t.Errorf("a sound file, deep %v: %+v, %v", deep, look, err)
		}
		_, err = LookInto(t.Context(), path, deep, refuse)
		if !errors.Is(err, errRefused) {
			t.Errorf("a closure that fails, deep %v: %v", deep, err)
		}
	}
	write := func(s db.Session) error { return putBank(s, 2) }
	if _, err := LookInto(t.Context(), path, false, write); err == nil {
		t.Error("a look has written")
	}
	damageIndexes(t, path)
	_, err := LookInto(t.Context(), path, false, count)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
	look, err := LookInto(t.Context(), path, true, count)
	if err != nil || len(look.Damage) == 0 {
		t.Errorf("a deep look at a damaged file: %+v, %v", look, err)
	}
	if err := os.WriteFile(path, []byte("this is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LookInto(t.Context(), path, false, count); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file that is no database: %v", err)
	}
	look, err = LookInto(t.Context(), path, true, count)
	if err != nil || len(look.Damage) == 0 {
		t.Errorf("a deep look at a file that is no database: %+v, %v", look, err)
	}
}
