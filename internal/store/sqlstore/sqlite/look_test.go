package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/inspect"
)

// TestLookChangesNothing inspects what a crash has left: a file whose tables are only in its log.
// The log must stay unchanged, because the check after a crash needs it.
func TestLookChangesNothing(t *testing.T) {
	t.Parallel()
	running := filepath.Join(t.TempDir(), "mintmark.db")
	s := opened(t, running)
	defer closed(t, s)
	want := store.InstallationRecord{
		Environment: store.Production, Keyset: "one", PinKey: "two",
		Made: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
	}
	err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Installation().Put(want) })
	if err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(t.TempDir(), "mintmark.db")
	left := make(map[string][]byte)
	for _, end := range []string{"", "-wal"} {
		left[end], err = os.ReadFile(running + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(crashed+end, left[end], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(left["-wal"]) == 0 {
		t.Fatal("nothing is in the log")
	}
	for range 2 {
		problems, err := inspect.LookFile(t.Context(), crashed)
		if err != nil {
			t.Fatal(err)
		}
		if problems.Installation == nil || *problems.Installation != want {
			t.Errorf("found %+v, want %+v", problems.Installation, want)
		}
		for end, was := range left {
			text, err := os.ReadFile(crashed + end)
			if err != nil || !bytes.Equal(text, was) {
				t.Errorf("mintmark.db%s has changed: %v", end, err)
			}
		}
	}
}
