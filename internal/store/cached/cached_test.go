package cached_test

import (
	"context"
	"path/filepath"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/store/storetest"
)

func TestFile(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		path := filepath.Join(t.TempDir(), "mintmark.db")
		s, _, err := cached.Open(context.Background(), path, sqlite.Options{})
		return opened(t, s, err)
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		s, _, err := cached.OpenMemory(context.Background(), sqlite.Options{})
		return opened(t, s, err)
	})
}

// opened returns the store until the test ends.
func opened(t *testing.T, s *cached.Store, err error) *cached.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
