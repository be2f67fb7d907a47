package snapshot

import (
	"mintmark/internal/store/sqlstore/db"
)

// Tables are the tables of a database on a server that a backup holds: all except the leases of
// nodes, the tokens of their commits, the migrations, and the snapshots of a sandbox. They are read
// from the catalog, so a new table is part of every backup without a change here.
type Tables struct{ all schema }

// Table is the name of a table, and those of its columns in order.
type Table struct {
	Name    string
	Columns []string
}

// notBackedUp lists the tables that a backup leaves out.
var notBackedUp = map[string]bool{"commit_tokens": true, "goose_db_version": true}

// TablesOf reads names, columns and references from the catalog of the server.
func TablesOf(s db.Session) (Tables, error) {
	all, err := readSchema(s, postgresColumns, postgresReferences, notBackedUp)
	return Tables{all}, err
}

// Version returns the version of the migrations that created the tables.
func (t Tables) Version() int64 { return t.all.version }

// List returns the tables, each after those that it refers to.
func (t Tables) List() []Table {
	var tables []Table
	for _, row := range t.all.tables {
		tables = append(tables, Table{row.name, row.columns})
	}
	return tables
}

// Refill empties every table and calls a closure that fills them. The triggers are disabled
// meanwhile, because the rows include what they would write.
func (t Tables) Refill(s db.Session, fill func() error) error {
	again, err := postgres{}.withoutTriggers(s, t.all)
	if err != nil {
		return err
	}
	if err := t.all.empty(s); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	return again()
}

// Numbers returns the next number of each sequence. Sequences are not transactional, so they are at
// least as far as the rows of the snapshot.
func (Tables) Numbers(s db.Session) (map[string]int64, error) {
	all, err := db.List(s, readSequence, postgresSequences)
	if err != nil {
		return nil, err
	}
	next := make(map[string]int64)
	for _, row := range all {
		var number int64
		_, err := db.Find(s, []any{&number}, `SELECT CASE WHEN is_called THEN last_value + 1
			ELSE last_value END FROM `+row.name)
		if err != nil {
			return nil, err
		}
		next[row.name] = number
	}
	return next, nil
}

// PutNumbers sets the next number of each sequence in next.
func (Tables) PutNumbers(s db.Session, next map[string]int64) error {
	all, err := db.List(s, readSequence, postgresSequences)
	if err != nil {
		return err
	}
	for _, row := range all {
		number, there := next[row.name]
		if !there {
			continue
		}
		if err := restartWith(s, sequence{row.name, number}); err != nil {
			return err
		}
	}
	return nil
}
