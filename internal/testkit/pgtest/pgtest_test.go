package pgtest

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store/sqlstore/migrations"
)

// ask returns the result of a query.
func ask[T any](t *testing.T, url, query string) (value T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// TestDatabases checks the content and the collation of both kinds of database.
func TestDatabases(t *testing.T) {
	t.Parallel()
	newest, err := migrations.Newest(migrations.PostgreSQL)
	if err != nil {
		t.Fatal(err)
	}
	first, second, empty := URL(t), URL(t), Empty(t)
	Run(t, first, `INSERT INTO banks (bank_id, name) VALUES (1, '')`)
	for _, c := range []struct{ url, query, want string }{
		{first, `SELECT CAST(count(*) AS TEXT) FROM banks`, "1"},
		{second, `SELECT CAST(count(*) AS TEXT) FROM banks`, "0"},
		{empty, `SELECT CAST(count(*) AS TEXT) FROM pg_tables WHERE schemaname = 'public'`, "0"},
		{first, `SELECT CAST('a' < 'B' AS TEXT)`, "true"}, // false with the collation C
		{empty, `SELECT CAST('a' < 'B' AS TEXT)`, "true"},
	} {
		if got := ask[string](t, c.url, c.query); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
	got := ask[int64](t, second, `SELECT max(version_id) FROM goose_db_version`)
	if got != newest {
		t.Errorf("the tables have version %d, want %d", got, newest)
	}
}

// TestAbandoned creates a database in the name of a process that has ended, and checks that the
// next process drops it, and no database in use.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	used := URL(t)
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	other, err := pgx.Connect(t.Context(), c.url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	const left = "mintmark_test_2147483647_1" // a process id that does not exist
	if err := c.createEmpty(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	next := &cluster{url: c.url, conn: other}
	if err := next.dropAbandoned(t.Context()); err != nil {
		t.Error(err)
	}
	if ask[bool](t, c.url, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = '`+left+`')`) {
		t.Error("the database is still there")
	}
	ask[int](t, used, `SELECT 1`)
}
