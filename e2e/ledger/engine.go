package ledger

import (
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the database is looked at, and damaged, from outside
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

// engineVariable names the one engine to be tested. Go does not see when it changes: run the tests
// with -count=1 then.
const engineVariable = "MINTMARK_TEST_ENGINE"

// Engines returns the engines to be tested: all of them, unless the environment names one.
func Engines() []Engine {
	if named := os.Getenv(engineVariable); named != "" {
		return []Engine{Engine(named)}
	}
	return []Engine{SQLite, Postgres}
}

// current is what the tests run on. It changes between two runs of all tests.
var current = SQLite

// Use has the tests that follow run on an engine.
func Use(engine Engine) { current = engine }

// On returns the engine that the tests run on.
func On() Engine { return current }

// urls are the databases on the server, by the data directory that they go with.
var urls sync.Map

// Database returns the database that goes with a data directory: the embedded one, or one on the
// server that is made when it is first asked for, and dropped when the test ends.
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

// Open opens the database that goes with a data directory, without Mintmark. It has one
// connection, which is closed when the test ends.
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
