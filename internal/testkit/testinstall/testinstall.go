// Package testinstall creates installations for tests, as mintmark init does, on both databases.
package testinstall

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite

	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/vault"
)

// Installation is a production installation for a test.
type Installation struct {
	*testing.T
	installation.Location
	Driver, Name string // of the database, for package sql
}

// OnBothDatabases runs a test in a new installation on each database.
func OnBothDatabases(t *testing.T, run func(Installation)) {
	t.Helper()
	for name, url := range map[string]func() string{
		"embedded":   func() string { return "" },
		"postgresql": func() string { return pgtest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) { run(New(t, url())) })
	}
}

// New creates an installation on the database at a URL, or on an embedded database if the URL is
// empty.
func New(t *testing.T, url string) Installation {
	t.Helper()
	i := Installation{T: t, Driver: "sqlite"}
	i.Data, i.Database.URL = filepath.Join(t.TempDir(), "data"), url
	i.Name = filepath.Join(i.Data, installation.DatabaseFile) + "?_pragma=busy_timeout(10000)"
	if url != "" {
		i.Driver, i.Name = "pgx", url
	}
	Init(t, i.Location)
	return i
}

// Init creates the keys and the database of a production installation. Its RSA key is short, so it
// is generated in a quarter of the time.
func Init(t *testing.T, location installation.Location) {
	t.Helper()
	if _, err := vault.Open(vault.Settings{Dir: location.Data, PinKeyBits: 2048}); err != nil {
		t.Fatal(err)
	}
	if _, err := installation.Init(t.Context(), location, false); err != nil {
		t.Fatal(err)
	}
}

// Exec executes a statement directly on the database, bypassing the program.
func (i Installation) Exec(statement string) {
	i.Helper()
	db, err := sql.Open(i.Driver, i.Name)
	if err != nil {
		i.Fatal(err)
	}
	_, err = db.ExecContext(i.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		i.Fatal(err)
	}
}

// WantRefused checks that err contains a text.
func (i Installation) WantRefused(what string, err error, text string) {
	i.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		i.Errorf("%s: %v, want %q", what, err, text)
	}
}
