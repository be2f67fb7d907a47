// Package pgtest gives tests a PostgreSQL to work with: a temporary cluster that the test process
// starts on first use, or the server that MINTMARK_TEST_POSTGRES names by a connection string.
// Each test gets a database of its own. Start is for measurements.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable names a server by a connection string in the form of a URL. Its user must be able to
// create databases.
const Variable = "MINTMARK_TEST_POSTGRES"

// made counts the databases, whose names must differ.
var made atomic.Int64

// URL returns the connection string of an empty database, which is dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	server, err := server()
	if err != nil {
		t.Fatalf("a PostgreSQL to test with: %v\n"+
			"Run scripts/need-postgres, or name a server in %s.", err, Variable)
	}
	name := fmt.Sprintf("mintmark_test_%d_%d", os.Getpid(), made.Add(1))
	// The collation must not matter, so the database has one that differs from C.
	run(t, server, `CREATE DATABASE `+name+` TEMPLATE template0 ENCODING 'UTF8'
		LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`)
	t.Cleanup(func() { run(t, server, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })
	return Within(server, name)
}

// Alone returns the connection string of a server of the test's own, for tests that change the
// server. It ends with the test process.
func Alone(t testing.TB) string {
	t.Helper()
	url, err := Start(careless...)
	if err != nil {
		t.Fatalf("a PostgreSQL to test with: %v\nRun scripts/need-postgres.", err)
	}
	return url
}

// Run runs a statement over a connection that stays open until the test ends, so that its locks
// stay, too.
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

// server starts the cluster once.
var server = sync.OnceValues(func() (string, error) {
	if named := os.Getenv(Variable); named != "" {
		return named, nil
	}
	return Start(careless...)
})

// Within replaces the database of a connection string.
func Within(server, database string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return server
	}
	parsed.Path = "/" + database
	return parsed.String()
}

// run runs a statement on the server over a connection that it closes.
func run(t testing.TB, server, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
