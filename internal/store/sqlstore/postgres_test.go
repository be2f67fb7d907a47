package sqlstore_test

import (
	"context"
	"testing"

	"mintmark/internal/pgtest"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/storetest"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return openedPostgres(t, pgtest.URL(t)) })
}

// openedPostgres opens the store in a database until the test ends.
func openedPostgres(t *testing.T, url string, options ...sqlstore.Option) *sqlstore.Postgres {
	t.Helper()
	s, err := sqlstore.OpenPostgres(context.Background(), url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}
