package snapshot

import (
	"context"

	"mintmark/internal/store/sqlstore/db"
)

// sqlite is the dialect of an engine whose Updates run one at a time.
type sqlite struct{ engine db.Engine }

const (
	sqliteColumns = `SELECT m.name, c.name FROM sqlite_master m
		JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.name, c.cid`
	sqliteReferences = `SELECT m.name, f."table" FROM sqlite_master m
		JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`
	sqliteCopies = `SELECT name FROM sqlite_master
		WHERE type = 'table' AND substr(name, 1, length($1)) = $1`
	sqliteTriggers = `SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`
)

func (sqlite) schema(s db.Session) (schema, error) {
	return readSchema(s, sqliteColumns, sqliteReferences, excludedTables)
}

func (sqlite) copies(s db.Session, version int64) ([]string, error) {
	return db.List(s, readName, sqliteCopies, copies(version))
}

const sqliteBytes = `SELECT (p.page_count - f.freelist_count) * s.page_size
	FROM pragma_page_count() p, pragma_freelist_count() f, pragma_page_size() s`

func (sqlite) bytes(s db.Session, _ int64) (total int64, err error) {
	_, err = db.Find(s, []any{&total}, sqliteBytes)
	return total, err
}

func readName(row db.Scan) (string, error) {
	var name string
	err := row(&name)
	return name, err
}

func (d sqlite) alone(ctx context.Context, fn func(db.Session, schema) error) error {
	return d.engine.Update(ctx, func(s db.Session) error {
		all, err := d.schema(s)
		if err != nil {
			return err
		}
		return fn(s, all)
	})
}

// trigger is a trigger and the statement that creates it.
type trigger struct{ name, text string }

// withoutTriggers drops the triggers, because SQLite cannot disable them. The function that it
// returns creates them again.
func (sqlite) withoutTriggers(s db.Session, _ schema) (again func() error, err error) {
	triggers, err := db.List(s,
		readPair(func(a, b string) trigger { return trigger{a, b} }), sqliteTriggers)
	if err != nil {
		return nil, err
	}
	for _, t := range triggers {
		if err := s.Write(`DROP TRIGGER ` + t.name); err != nil {
			return nil, err
		}
	}
	return func() error {
		for _, t := range triggers {
			if err := s.Write(t.text); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

const (
	sqliteKeepNumbers = `INSERT INTO sandbox_numbers (world_id, source, next)
		SELECT $1, name, seq FROM sqlite_sequence WHERE name NOT LIKE 'goose%'`
	sqliteForgetNumbers = `DELETE FROM sqlite_sequence WHERE name NOT LIKE 'goose%'`
	sqlitePutNumbers    = `INSERT INTO sqlite_sequence (name, seq)
		SELECT source, next FROM sandbox_numbers WHERE world_id = $1`
	sqliteFirstNumbers = `INSERT INTO sqlite_sequence (name, seq)
		VALUES ('cards', 10000), ('document_drafts', 1000000)`
)

func (sqlite) keepNumbers(s db.Session, _ schema, worldID int64) error {
	return s.Write(sqliteKeepNumbers, worldID)
}

func (sqlite) restoreSequences(s db.Session, _ schema, worldID int64) error {
	if err := s.Write(sqliteForgetNumbers); err != nil {
		return err
	}
	return s.Write(sqlitePutNumbers, worldID)
}

// resetNumbers makes the tables start with the numbers with which their migrations start.
func (sqlite) resetNumbers(s db.Session, _ schema) error {
	if err := s.Write(sqliteForgetNumbers); err != nil {
		return err
	}
	return s.Write(sqliteFirstNumbers)
}
