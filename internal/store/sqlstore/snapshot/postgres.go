package snapshot

import (
	"context"
	"strconv"
	"strings"

	"mintmark/internal/store/sqlstore/db"
)

// concurrentEngine is an engine whose Updates run concurrently.
type concurrentEngine interface {
	db.Engine
	// Alone is an Update that begins when no other transaction is writing to the given tables any
	// more, and that lets none write to them until it has ended.
	Alone(ctx context.Context, tables []string, fn func(db.Session) error) error
}

// postgres is the dialect of a PostgreSQL server.
type postgres struct{ engine concurrentEngine }

const (
	postgresColumns = `SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r'
			AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY c.relname, a.attnum`
	postgresReferences = `SELECT CAST(c.relname AS TEXT), CAST(t.relname AS TEXT)
		FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
			JOIN pg_class t ON t.oid = f.confrelid
		WHERE f.contype = 'f' AND f.connamespace = CAST(current_schema() AS regnamespace)`
	postgresCopies = `SELECT CAST(relname AS TEXT) FROM pg_class
		WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'
			AND starts_with(CAST(relname AS TEXT), CAST($1 AS TEXT))`
	postgresTriggers = `SELECT DISTINCT CAST(c.relname AS TEXT)
		FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT t.tgisinternal`
	postgresSequences = `SELECT CAST(c.relname AS TEXT), s.seqstart
		FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
		WHERE c.relnamespace = CAST(current_schema() AS regnamespace)
			AND c.relname NOT LIKE 'goose%' ORDER BY 1`
)

func (postgres) schema(s db.Session) (schema, error) {
	return readSchema(s, postgresColumns, postgresReferences, excludedTables)
}

func (postgres) copies(s db.Session, version int64) ([]string, error) {
	return db.List(s, readName, postgresCopies, copies(version))
}

const postgresBytes = `SELECT CAST(COALESCE(SUM(pg_total_relation_size(oid)), 0) AS BIGINT)
	FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'
		AND starts_with(CAST(relname AS TEXT), CAST($1 AS TEXT))`

func (postgres) bytes(s db.Session, version int64) (total int64, err error) {
	_, err = db.Find(s, []any{&total}, postgresBytes, copies(version))
	return total, err
}

// alone reads the tables twice: to lock them, and again under the locks.
func (d postgres) alone(ctx context.Context, fn func(db.Session, schema) error) error {
	var seen schema
	err := d.engine.View(ctx, func(s db.Session) error {
		var err error
		seen, err = d.schema(s)
		return err
	})
	if err != nil {
		return err
	}
	locked := append([]string{sandboxPrefix}, seen.emptied...)
	return d.engine.Alone(ctx, locked, func(s db.Session) error {
		all, err := d.schema(s)
		if err != nil {
			return err
		}
		return fn(s, all)
	})
}

func (postgres) withoutTriggers(s db.Session, _ schema) (again func() error, err error) {
	names, err := db.List(s, readName, postgresTriggers)
	if err != nil {
		return nil, err
	}
	alter := func(how string) error {
		for _, name := range names {
			if err := s.Write(`ALTER TABLE ` + name + how); err != nil {
				return err
			}
		}
		return nil
	}
	return func() error {
		if err := alter(` ENABLE TRIGGER USER`); err != nil {
			return err
		}
		// The trigger that notifies of changed keys was disabled.
		return s.Write(`SELECT pg_notify('mintmark_access', '')`)
	}, alter(` DISABLE TRIGGER USER`)
}

// sequence is a sequence and one of its numbers.
type sequence struct {
	name   string
	number int64
}

func readSequence(row db.Scan) (sequence, error) {
	var s sequence
	err := row(&s.name, &s.number)
	return s, err
}

func (postgres) keepNumbers(s db.Session, _ schema, worldID int64) error {
	all, err := db.List(s, readSequence, postgresSequences)
	if err != nil {
		return err
	}
	var next []string
	for _, row := range all {
		next = append(next, `SELECT CAST($1 AS BIGINT), '`+row.name+`',
			CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM `+row.name)
	}
	return s.Write(`INSERT INTO sandbox_numbers (world_id, source, next) `+
		strings.Join(next, ` UNION ALL `), worldID)
}

const postgresNumbers = `SELECT source, next FROM sandbox_numbers WHERE world_id = $1`

func (postgres) restoreSequences(s db.Session, _ schema, worldID int64) error {
	return restart(s, postgresNumbers, worldID)
}

func (postgres) resetNumbers(s db.Session, _ schema) error { return restart(s, postgresSequences) }

// restart makes sequences continue with the numbers that a query finds. Unlike setval, it is rolled
// back with the transaction.
func restart(s db.Session, text string, args ...any) error {
	all, err := db.List(s, readSequence, text, args...)
	if err != nil {
		return err
	}
	for _, row := range all {
		if err := restartWith(s, row); err != nil {
			return err
		}
	}
	return nil
}

func restartWith(s db.Session, row sequence) error {
	return s.Write(`ALTER SEQUENCE ` + row.name + ` RESTART WITH ` +
		strconv.FormatInt(row.number, 10))
}
