package sqlite_test

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// opened opens the store in a file, as a server does, until the test ends.
func opened(t *testing.T, path string) store.Store {
	t.Helper()
	s, _, err := cached.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t *testing.T, s io.Closer) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "mintmark.db") }

func programOf(id int) program.Program {
	return program.Program{Issuing: program.Issuing{ID: id, BankID: id}}
}
