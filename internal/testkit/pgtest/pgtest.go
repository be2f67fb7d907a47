// Package pgtest gives tests a PostgreSQL: the server that MINTMARK_TEST_POSTGRES names by a
// connection string, or a temporary one that the test process starts on first use. Each test gets a
// database of its own. Start is for measurements. The program withpostgres starts a server for many
// test processes.
package pgtest

import (
	"context"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable names a server by a connection string in URL form. Its user must be able to create
// databases.
const Variable = "MINTMARK_TEST_POSTGRES"

// URL returns the connection string of a new database with the newest tables, all empty. The
// database is dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	return database(t, (*cluster).createMigrated)
}

// Empty returns the connection string of a new database without tables, for tests of migrations.
// The database is dropped when the test ends.
func Empty(t testing.TB) string {
	t.Helper()
	return database(t, (*cluster).createEmpty)
}

// database creates a database for a test.
func database(
	t testing.TB, create func(c *cluster, ctx context.Context, name string) error,
) string {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatalf("a PostgreSQL to test with: %v\n"+
			"Run scripts/need postgres, or name a server in %s.", err, Variable)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.nextName()
	if err := create(c, context.Background(), name); err != nil {
		t.Fatalf("create the database %s: %v", name, err)
	}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := c.drop(context.Background(), name); err != nil {
			t.Errorf("drop the database %s: %v", name, err)
		}
	})
	return Within(c.url, name)
}

// Alone returns the connection string of a separate server, for tests that change the server. The
// server ends with the test process.
func Alone(t testing.TB) string {
	t.Helper()
	url, err := Start(careless...)
	if err != nil {
		t.Fatalf("a PostgreSQL to test with: %v\nRun scripts/need postgres.", err)
	}
	return url
}

// Run executes a statement on a connection that stays open until the test ends, and so keeps its
// locks.
func Run(t testing.TB, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Within replaces the database in a connection string.
func Within(server, database string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return server
	}
	parsed.Path = "/" + database
	return parsed.String()
}
