package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/snapshot"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/store/storetest"
	"mintmark/internal/testkit/pgtest"
)

func TestFile(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		path := filepath.Join(t.TempDir(), "mintmark.db")
		engine, err := sqlite.Open(context.Background(), path, sqlite.Options{})
		return stored(t, engine, err)
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		engine, err := sqlite.OpenMemory(context.Background(), sqlite.Options{})
		return stored(t, engine, err)
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		engine, err := postgres.Open(context.Background(), pgtest.URL(t), postgres.Options{})
		return stored(t, engine, err)
	})
}

// stored returns a store on an engine, and closes it when the test ends.
func stored(t *testing.T, engine db.Engine, err error) *sqlstore.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s := sqlstore.New(snapshot.Guard(engine))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
