package ledger

import (
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // tests read and damage the database directly
	_ "modernc.org/sqlite"             // likewise

	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/pgtest"
)

// Engine is a kind of database that Mintmark runs on.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// engineVariable selects a single engine. The test cache ignores its changes: run the tests with
// -count=1 then.
const engineVariable = "MINTMARK_TEST_ENGINE"

// Engines returns the engines to test: all of them, unless the environment selects one.
func Engines() []Engine {
	if named := os.Getenv(engineVariable); named != "" {
		return []Engine{Engine(named)}
	}
	return []Engine{SQLite, Postgres}
}

// current is the engine of the tests. It changes between two runs of all tests.
var current = SQLite

// Use selects the engine for the tests that follow.
func Use(engine Engine) { current = engine }

// On returns the engine of the tests.
func On() Engine { return current }

// urls holds the databases on the server by their data directory.
var urls sync.Map

// Database returns the database that belongs to a data directory: the embedded one, or one on the
// server, which is created on first use and dropped when the test ends.
func Database(t *testing.T, data string) installation.Database {
	t.Helper()
	if current == SQLite {
		return installation.Database{}
	}
	url, ok := urls.Load(data)
	if !ok {
		url = pgtest.URL(t)
		urls.Store(data, url)
	}
	return installation.Database{URL: url.(string)}
}

// Open opens the database of a data directory, without Mintmark. It has a single connection, which
// is closed when the test ends.
func Open(t *testing.T, data string) *sql.DB {
	t.Helper()
	driver, name := "pgx", Database(t, data).URL
	if current == SQLite {
		driver = "sqlite"
		name = "file:" + filepath.Join(data, "mintmark.db") + "?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}
