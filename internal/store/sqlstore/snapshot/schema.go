package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// dialect covers the differences between the two databases.
type dialect interface {
	// schema reads the tables.
	schema(s db.Session) (schema, error)
	// copies returns the tables that hold copies of a schema version.
	copies(s db.Session, version int64) ([]string, error)
	// bytes returns the size of the copies of a schema version; for an embedded database, it
	// includes all other data.
	bytes(s db.Session, version int64) (int64, error)
	// alone runs an Update while nothing else writes.
	alone(ctx context.Context, fn func(db.Session, schema) error) error
	// withoutTriggers disables the triggers. The function that it returns enables them again.
	withoutTriggers(s db.Session, all schema) (again func() error, err error)
	// keepNumbers saves the next numbers of the tables, restoreSequences restores them, and
	// resetNumbers makes the tables start with their first numbers again.
	keepNumbers(s db.Session, all schema, worldID int64) error
	restoreSequences(s db.Session, all schema, worldID int64) error
	resetNumbers(s db.Session, all schema) error
}

// schema describes the tables of a database.
type schema struct {
	version int64   // of the migrations
	tables  []table // those of a snapshot, each after those that it refers to
	emptied []string
	copied  map[string]bool // the existing tables for copies
}

// table is a table with its columns.
type table struct {
	name     string
	columns  []string
	refersTo []string
}

// excludedTables lists the tables that are not part of a snapshot, besides those whose names begin
// with sandbox.
var excludedTables = map[string]bool{"installation": true, "commit_tokens": true, "goose_db_version": true}

// leases is not part of a snapshot, but is emptied with the other tables.
const leases = "leases"

// sandboxPrefix is the prefix of the names of this package's tables.
const sandboxPrefix = "sandbox"

// column and reference are rows of the catalog.
type (
	column    struct{ table, name string }
	reference struct{ table, to string }
)

func readPair[T any](make func(a, b string) T) func(db.Scan) (T, error) {
	return func(row db.Scan) (T, error) {
		var a, b string
		err := row(&a, &b)
		return make(a, b), err
	}
}

// readSchema reads the tables with two queries of the dialect: for the columns in their order, and
// for the foreign keys.
func readSchema(
	s db.Session, columnsOf, referencesOf string, apart map[string]bool,
) (schema, error) {
	all := schema{copied: make(map[string]bool)}
	var columns []column
	var references []reference
	err := s.Query(
		db.Row([]any{&all.version}, `SELECT MAX(version_id) FROM goose_db_version`),
		db.Rows(&columns, readPair(func(a, b string) column { return column{a, b} }), columnsOf),
		db.Rows(&references, readPair(func(a, b string) reference { return reference{a, b} }),
			referencesOf))
	if err != nil {
		return all, err
	}
	byName := make(map[string]*table)
	var names []string
	for _, c := range columns {
		if strings.HasPrefix(c.table, sandboxPrefix) {
			all.copied[c.table] = true
			continue
		}
		if apart[c.table] {
			continue
		}
		if byName[c.table] == nil {
			byName[c.table] = &table{name: c.table}
			names = append(names, c.table)
		}
		byName[c.table].columns = append(byName[c.table].columns, c.name)
	}
	for _, r := range references {
		if of := byName[r.table]; of != nil && r.to != r.table {
			of.refersTo = append(of.refersTo, r.to)
		}
	}
	all.tables, err = inOrder(names, byName)
	for _, t := range slices.Backward(all.tables) {
		all.emptied = append(all.emptied, t.name)
	}
	all.tables = slices.DeleteFunc(all.tables, func(t table) bool { return t.name == leases })
	return all, err
}

// inOrder returns the tables so that each comes after those that it refers to.
func inOrder(names []string, byName map[string]*table) ([]table, error) {
	slices.Sort(names)
	var ordered []table
	done := make(map[string]bool)
	for len(ordered) < len(names) {
		before := len(ordered)
		for _, name := range names {
			waits := slices.ContainsFunc(byName[name].refersTo, func(to string) bool {
				return !done[to]
			})
			if !done[name] && !waits {
				ordered = append(ordered, *byName[name])
				done[name] = true
			}
		}
		if len(ordered) == before {
			return nil, fmt.Errorf("%w: tables reference each other in a cycle",
				store.ErrOtherSchema)
		}
	}
	return ordered, nil
}

// copyOf returns the name of the table that holds the copies of a table.
func (all schema) copyOf(t table) string { return copies(all.version) + t.name }

// copies returns the prefix of the names of the tables that hold copies of a version.
func copies(version int64) string { return fmt.Sprintf("%s_%d_", sandboxPrefix, version) }

// makeCopies creates the tables that hold the copies, unless they exist.
func (all schema) makeCopies(s db.Session) error {
	for _, t := range all.tables {
		name := all.copyOf(t)
		if all.copied[name] {
			continue
		}
		_, err := s.Exec(`CREATE TABLE ` + name + ` AS SELECT CAST(0 AS BIGINT) AS world_id, ` +
			strings.Join(t.columns, ", ") + ` FROM ` + t.name + ` WHERE 1 = 0`)
		if err != nil {
			return err
		}
		_, err = s.Exec(`CREATE INDEX ` + name + `_world ON ` + name + ` (world_id)`)
		if err != nil {
			return err
		}
	}
	return nil
}

// keep returns the statement that copies the rows of a table into a snapshot.
func (all schema) keep(t table) string {
	columns := strings.Join(t.columns, ", ")
	return `INSERT INTO ` + all.copyOf(t) + ` (world_id, ` + columns + `)
		SELECT CAST($1 AS BIGINT), ` + columns + ` FROM ` + t.name
}

// restoreStatement returns the statement that copies the rows of a snapshot back into a table.
func (all schema) restoreStatement(t table) string {
	columns := strings.Join(t.columns, ", ")
	return `INSERT INTO ` + t.name + ` (` + columns + `)
		SELECT ` + columns + ` FROM ` + all.copyOf(t) + ` WHERE world_id = $1`
}

// empty deletes all rows.
func (all schema) empty(s db.Session) error {
	for _, name := range all.emptied {
		if err := s.Write(`DELETE FROM ` + name); err != nil {
			return err
		}
	}
	return nil
}
