package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/store/sqlstore/sqlite"
)

// tables returns the schema of a database, the applied migrations, and the next numbers.
func tables(t *testing.T, path string) []string {
	t.Helper()
	rows, err := raw(t, path).Query(`SELECT name || ': ' || sql FROM sqlite_master
		WHERE sql IS NOT NULL
		UNION ALL SELECT 'version ' || version_id || ' at ' || id FROM goose_db_version
		UNION ALL SELECT 'next ' || name || ' after ' || seq FROM sqlite_sequence ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

// fresh returns the tables of a new file.
func fresh(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fresh.db")
	closed(t, opened(t, path))
	return tables(t, path)
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	s := opened(t, path)
	put(t, s, 1)
	closed(t, s)
	before := tables(t, path)

	s = opened(t, path)
	if got := count(t, s); got != 1 {
		t.Errorf("found %d programs after the second migration, want 1", got)
	}
	closed(t, s)
	if diff := cmp.Diff(before, tables(t, path)); diff != "" {
		t.Errorf("the second migration changed the tables (-before +after):\n%s", diff)
	}
	if before := strings.Join(before, "\n"); !strings.Contains(before, "CREATE TABLE cards") {
		t.Errorf("there is no table of cards:\n%s", before)
	}
}

// TestMigrateFromEveryVersion opens a database at each version there ever was.
func TestMigrateFromEveryVersion(t *testing.T) {
	t.Parallel()
	want := fresh(t)
	files, err := migrations.For(migrations.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	newest, err := migrations.Newest(migrations.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	for version := int64(1); version <= newest; version++ {
		path := filepath.Join(t.TempDir(), "old.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		old, err := goose.NewProvider(goose.DialectSQLite3, db, files,
			goose.WithLogger(goose.NopLogger()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.UpTo(context.Background(), version); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		closed(t, opened(t, path))
		if diff := cmp.Diff(want, tables(t, path)); diff != "" {
			t.Errorf("from version %d (-fresh +migrated):\n%s", version, diff)
		}
	}
}

// TestOpenAtOnce opens one new file several times at the same moment, as processes do that are
// started together. Some open it through a link in another directory.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	for range 4 {
		path := filepath.Join(t.TempDir(), "mintmark.db")
		link := filepath.Join(t.TempDir(), "mintmark.db")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for _, by := range []string{path, link, path, link} {
			all.Go(func() {
				s, err := sqlite.Open(context.Background(), by, sqlite.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				closed(t, s)
			})
		}
		all.Wait()
		if diff := cmp.Diff(fresh(t), tables(t, path)); diff != "" {
			t.Errorf("the tables differ (-fresh +at once):\n%s", diff)
		}
	}
}
