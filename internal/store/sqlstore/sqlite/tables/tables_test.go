package tables

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"mintmark/internal/testkit/golden"
)

// TestEmpty checks that an empty database, in memory and in a file, equals the one that the
// migrations create, in its tables and in every row. With -update it prints them.
func TestEmpty(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "migrated.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(migrate(t.Context(), db), db.Close()); err != nil {
		t.Fatal(err)
	}
	migrated := connect(t, path)
	golden.Compare(t, "newest.sql", []byte(printed(t, migrated)))
	if golden.Updating() {
		return // the embedded text is still the old one
	}
	image, err := Empty()
	if err != nil {
		t.Fatal(err)
	}
	empty := connect(t, ":memory:")
	if err := empty.Deserialize("main", image); err != nil {
		t.Fatal(err)
	}
	want, got := dump(t, migrated), dump(t, empty)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 100 {
		t.Errorf("%d lines (-migrated +empty):\n%s", len(want), diff)
	}
	file := filepath.Join(t.TempDir(), "new.db")
	for range 2 {
		if err := Update(t.Context(), "file:"+file); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, dump(t, connect(t, file))); diff != "" {
			t.Errorf("a new file (-migrated +new):\n%s", diff)
		}
	}
	again, err := Empty()
	if err != nil || &again[0] != &image[0] {
		t.Errorf("it is made twice: %v", err)
	}
}

// printed returns the statements that create a database.
func printed(t *testing.T, conn *sqlite.Conn) string {
	t.Helper()
	text := "-- The newest tables, printed from the migrations by go test -update. " +
		"Change the migrations.\n\n"
	for _, statement := range read(t, conn, `SELECT sql FROM sqlite_master
		WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid`) {
		text += statement + ";\n\n"
	}
	for _, table := range tablesOf(t, conn) {
		if table == "sqlite_sequence" {
			text += "DELETE FROM sqlite_sequence;\n" // SQLite has created it implicitly
		}
		columns := read(t, conn, `SELECT '"' || name || '"' FROM pragma_table_info('`+table+`')
			WHERE name <> 'tstamp'`)
		values := strings.Join(columns, `) || ', ' || quote(`)
		for _, row := range read(t, conn,
			`SELECT quote(`+values+`) FROM "`+table+`"`) {
			text += fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s);\n", table,
				strings.ReplaceAll(strings.Join(columns, ", "), `"`, ""), row)
		}
	}
	return text
}

func connect(t *testing.T, name string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// dump returns the schema of a database, and its rows without their timestamps.
func dump(t *testing.T, conn *sqlite.Conn) []string {
	t.Helper()
	all := read(t, conn, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
	for _, table := range tablesOf(t, conn) {
		for _, row := range read(t, conn, `SELECT * FROM "`+table+`" ORDER BY 1`) {
			all = append(all, table+": "+row)
		}
	}
	return all
}

func tablesOf(t *testing.T, conn *sqlite.Conn) []string {
	t.Helper()
	return read(t, conn, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
}

// read returns the rows of a query, one string each.
func read(t *testing.T, conn *sqlite.Conn, query string) (lines []string) {
	t.Helper()
	err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			var line []string
			for i := range s.ColumnCount() {
				if s.ColumnName(i) != "tstamp" {
					line = append(line, s.ColumnText(i))
				}
			}
			lines = append(lines, strings.Join(line, "|"))
			return nil
		},
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return lines
}
