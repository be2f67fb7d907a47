package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/storetest"
)

func TestFile(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		return opened(t, filepath.Join(t.TempDir(), "mintmark.db"))
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		s, err := sqlstore.OpenMemory(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, s) })
		return s
	})
}

// opened opens the store in a file until the test ends.
func opened(t *testing.T, path string, options ...sqlstore.Option) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(context.Background(), path, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
