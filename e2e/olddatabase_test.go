//go:build check

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/store/sqlstore/migrations"
)

// Expressions that match what a migration adds, with its name.
var (
	newTrigger = regexp.MustCompile(`CREATE (?:OR REPLACE )?TRIGGER (\w+)[^;]*? ON (\w+)`)
	newIndex   = regexp.MustCompile(`INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+)\s+ON `)
	newTable   = regexp.MustCompile(`CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	changed    = regexp.MustCompile(`ALTER TABLE (\w+)([^;]*)`)
	newColumn  = regexp.MustCompile(`ADD COLUMN (?:IF NOT EXISTS )?(\w+)`)
)

// dropsFrom returns statements that drop everything that the migrations from a version on have
// added, except the columns of an older table that was rebuilt.
func dropsFrom(t *testing.T, first string) []string {
	t.Helper()
	folder, err := migrations.For(string(ledger.On()))
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(folder, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range names {
		if name >= first {
			migration, err := fs.ReadFile(folder, name)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(migration)
		}
	}
	var statements []string
	for _, trigger := range newTrigger.FindAllStringSubmatch(text.String(), -1) {
		statement := "DROP TRIGGER IF EXISTS " + trigger[1]
		if ledger.On() == ledger.Postgres {
			statement += " ON " + trigger[2]
		}
		statements = append(statements, statement)
	}
	for _, index := range newIndex.FindAllStringSubmatch(text.String(), -1) {
		statements = append(statements, "DROP INDEX IF EXISTS "+index[1])
	}
	tables := make(map[string]bool)
	// Newest first: a table refers to older ones.
	for _, table := range slices.Backward(newTable.FindAllStringSubmatch(text.String(), -1)) {
		statements = append(statements, "DROP TABLE IF EXISTS "+table[1])
		tables[table[1]] = true
	}
	for _, table := range changed.FindAllStringSubmatch(text.String(), -1) {
		for _, column := range newColumn.FindAllStringSubmatch(table[2], -1) {
			if !tables[table[1]] {
				statements = append(statements, "ALTER TABLE "+table[1]+" DROP COLUMN "+column[1])
			}
		}
	}
	return statements
}

// setBack reverts a database to the time before fingerprints were recorded.
func setBack(t *testing.T, data string) {
	t.Helper()
	db := ledger.Open(t, data)
	statements := append(dropsFrom(t, "00010"), `DELETE FROM goose_db_version WHERE version_id >= 10`)
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// There was no mark of production, either.
	_ = os.Remove(filepath.Join(data, "production"))
}

// TestDatabaseFromBefore adopts a database from before fingerprints were recorded, without init.
// Keys that do not decrypt its data are rejected, and so is a sandbox.
func TestDatabaseFromBefore(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	remembered := query(t, p.data, `SELECT keyset_fingerprint FROM installation`)
	setBack(t, p.data)
	p.refused("data belongs to production", append([]string{"sandbox"}, on(t, p.data)...)...)
	if ledger.On() == ledger.Postgres {
		p.refused("does not belong to the keys in", "sandbox", "--data",
			filepath.Join(t.TempDir(), "data"), "--database", ledger.Database(t, p.data).URL)
	}

	keyset := filepath.Join(p.data, "keyset.json")
	right, err := os.ReadFile(keyset)
	if err != nil {
		t.Fatal(err)
	}
	strange := filepath.Join(t.TempDir(), "data")
	p.done("init", "--data", strange)
	wrong, err := os.ReadFile(filepath.Join(strange, "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	keep := func(text []byte) {
		if err := os.WriteFile(keyset, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(wrong)
	for _, name := range []string{"serve", "migrate", "init"} {
		p.refused("does not belong to the keys in .*: they cannot decrypt the number of card ",
			name, "--config", p.config)
	}
	keep(right)
	program := p.serve()
	same(t, "keyset", query(t, p.data, `SELECT keyset_fingerprint FROM installation`), remembered)
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	// The older entries are sealed, too, and have no digest.
	if verifyAudit(t, p.data) < 1 {
		t.Error("no entry is sealed")
	}
	if _, err := os.Stat(filepath.Join(p.data, "production")); err != nil {
		t.Error(err)
	}

	old := filepath.Join(t.TempDir(), "data")
	same(t, "exit code", sandbox(t, "--data", old).end(syscall.SIGTERM), 0)
	setBack(t, old)
	same(t, "exit code", sandbox(t, "--data", old).end(syscall.SIGTERM), 0)
	same(t, "environment", query(t, old, `SELECT environment FROM installation`), "sandbox")
}
