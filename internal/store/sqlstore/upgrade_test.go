package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// engine describes a database for TestRowsOutliveMigrations.
type engine struct {
	dialect goose.Dialect
	connect func(*testing.T) (driver, name string) // of an empty database
	open    func(name string) (store.Store, error)
	tables  string // query for the names of the tables
	shape   string // query for the whole schema
}

var engines = map[string]engine{
	migrations.SQLite: {
		dialect: goose.DialectSQLite3,
		connect: func(t *testing.T) (string, string) {
			return "sqlite", filepath.Join(t.TempDir(), "old.db")
		},
		open: func(name string) (store.Store, error) {
			kept, _, err := cached.Open(context.Background(), name, sqlite.Options{})
			return kept, err
		},
		tables: `SELECT name FROM sqlite_master WHERE type = 'table'
			AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'`,
		shape: `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL
			UNION ALL SELECT 'version ' || version_id FROM goose_db_version`,
	},
	migrations.PostgreSQL: {
		dialect: goose.DialectPostgres,
		connect: func(t *testing.T) (string, string) { return "pgx", pgtest.Empty(t) },
		open: func(name string) (store.Store, error) {
			opened, err := postgres.Open(context.Background(), name, postgres.Options{})
			if err != nil {
				return nil, err
			}
			return sqlstore.New(opened), nil
		},
		tables: `SELECT tablename FROM pg_tables
			WHERE schemaname = 'public' AND tablename NOT LIKE 'goose_%'`,
		shape: `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable,
				column_default, collation_name, is_identity, identity_start)
				FROM information_schema.columns WHERE table_schema = 'public'
			UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
				FROM pg_constraint WHERE connamespace = 'public'::regnamespace
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
			UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
			UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
				WHERE pronamespace = 'public'::regnamespace
			UNION ALL SELECT 'version ' || version_id FROM goose_db_version`,
	},
}

// TestRowsOutliveMigrations stops at each version there ever was, inserts rows as that version
// stored them (testdata/rows, for both databases), and opens the database with the current program.
// The rows must be unchanged, the tables must be those of a new database, and the store must work.
func TestRowsOutliveMigrations(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		want := e.ofFresh(t)
		all := versions(t)
		for i, version := range all {
			if !testrun.Full() && i%4 != 0 && i < len(all)-recent {
				continue
			}
			t.Run(fmt.Sprintf("%s from %d", name, version), func(t *testing.T) {
				t.Parallel()
				e.outlive(t, name, version, want)
			})
		}
	}
}

// recent is the number of newest versions that every run starts from; only a full run starts from
// each of the older ones.
const recent = 3

// ofFresh returns the schema of a new database.
func (e engine) ofFresh(t *testing.T) []string {
	t.Helper()
	driver, name := e.connect(t)
	kept, err := e.open(name)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, kept)
	return texts(t, connected(t, driver, name), e.shape)
}

// TestJobsAreRenamed migrates the jobs of the old names.
func TestJobsAreRenamed(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, at := e.filled(t, name, 51)
			for _, old := range []string{
				"digest numbers under the next key", "end old holds", "forget old answers",
				"forget old deliveries", "forget old reconciliations", "forget people in old rows",
				"re-seal under keys of banks", "warn of keys that expire",
			} {
				_, err := db.ExecContext(t.Context(), `INSERT INTO jobs
					(name, node, began_at, ended_at, done, next_at, error)
					VALUES ('`+old+`', 'node-1', 1, 2, TRUE, 3, '')`)
				if err != nil {
					t.Fatal(err)
				}
			}
			kept, err := e.open(at)
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, kept)
			want := []string{
				"delete old answers", "delete old deliveries", "delete old reconciliations",
				"erase old personal data", "expire holds", "re-encrypt under bank keys",
				"re-hash card numbers", "renew cards", "warn about expiring keys",
			}
			got := texts(t, db, "SELECT name FROM jobs")
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func (e engine) outlive(t *testing.T, database string, version int, want []string) {
	db, name := e.filled(t, database, version)
	queries := make(map[string]string) // for the columns of that version
	before := make(map[string][]string)
	for _, table := range texts(t, db, e.tables) {
		queries[table] = columnsOf(t, db, table)
		before[table] = texts(t, db, queries[table])
		if len(before[table]) == 0 {
			t.Errorf("there is no row in %s", table)
		}
	}

	kept, err := e.open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, kept)
	after := make(map[string][]string)
	for table, query := range queries {
		after[table] = texts(t, db, query)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("rows (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(want, texts(t, db, e.shape)); diff != "" {
		t.Errorf("tables (-fresh +migrated):\n%s", diff)
	}
	if err := workOn(kept, version); err != nil {
		t.Errorf("work with what was kept: %v", err)
	}
}

// filled returns a database of a version with rows in each of its tables.
func (e engine) filled(t *testing.T, database string, version int) (db *sql.DB, name string) {
	t.Helper()
	driver, name := e.connect(t)
	db = connected(t, driver, name)
	files, err := migrations.For(database)
	if err != nil {
		t.Fatal(err)
	}
	old, err := goose.NewProvider(e.dialect, db, files, goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.UpTo(t.Context(), int64(version)); err != nil {
		t.Fatal(err)
	}
	for _, file := range migrationFiles(t) {
		if versionOf(t, file) > version {
			break
		}
		rows, err := os.ReadFile(filepath.Join("testdata/rows", file))
		if err != nil {
			t.Fatalf("each version needs rows as it keeps them: %v", err)
		}
		// Some tables exist in only one of the databases.
		own, err := os.ReadFile(filepath.Join("testdata/rows", string(e.dialect), file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		rows = append(rows, own...)
		if _, err := db.ExecContext(t.Context(), string(rows)); err != nil {
			t.Fatalf("the rows of %s: %v", file, err)
		}
	}
	return db, name
}

// workOn reads and changes rows of an old version.
func workOn(kept store.Store, version int) error {
	const firstWithCards = 3
	return kept.Update(context.Background(), func(tx store.Tx) error {
		_, program := tx.Programs().Find(1)
		keys, listed := tx.Keys().List()
		if len(keys) != 1 {
			listed = errors.Join(listed, errors.New("the key is gone"))
		}
		if version < firstWithCards {
			return errors.Join(program, listed)
		}
		before, err := tx.Cards().Find(1, 10001)
		if err != nil {
			return err
		}
		changed, added := before, before
		changed.NickName = "Changed"
		added.ID, added.NickName, added.Tag = 0, "Added", ""
		return errors.Join(program, listed,
			tx.Cards().Change(before, &changed), tx.Cards().Put(&added))
	})
}

func closeStore(t *testing.T, kept store.Store) {
	t.Helper()
	if err := kept.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func connected(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// columnsOf returns a query for the current columns of a table, which gives the same when columns
// are added later.
func columnsOf(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+table+` WHERE FALSE`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	return `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + table
}

// texts returns the rows of a query as strings, sorted.
func texts(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, value := range values {
			text := "NULL"
			if value.Valid {
				text = value.String
			}
			row = append(row, text)
		}
		names = append(names, strings.Join(row, " | "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// versions returns all versions, the first one first.
func versions(t *testing.T) []int {
	t.Helper()
	var all []int
	for _, file := range migrationFiles(t) {
		all = append(all, versionOf(t, file))
	}
	return all
}

// versionOf returns the version that a migration leads to.
func versionOf(t *testing.T, file string) int {
	t.Helper()
	number, _, _ := strings.Cut(file, "_")
	version, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("%s begins with no version: %v", file, err)
	}
	return version
}

func migrationFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("migrations/sqlite")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
