package sqlstore_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"mintmark/internal/program"
	"mintmark/internal/store/sqlstore"
)

func programOf(id int) program.Program {
	return program.Program{Issuing: program.Issuing{ID: id, BankID: id}}
}

// tables returns what the database says of its tables, and which migrations it has seen.
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
	var found []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		found = append(found, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
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

// TestMigrateFromEveryVersion opens databases that stopped at each version there ever was.
func TestMigrateFromEveryVersion(t *testing.T) {
	t.Parallel()
	want := fresh(t)
	files := os.DirFS("migrations/sqlite")
	for _, version := range versions(t) {
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
		if _, err := old.UpTo(context.Background(), int64(version)); err != nil {
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
// started together. Some come by way of a link in another directory.
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
				s, err := sqlstore.Open(context.Background(), by)
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

// TestRowidTables checks that no table gives up its row numbers: some tools that copy a database
// while it is in use need them.
func TestRowidTables(t *testing.T) {
	t.Parallel()
	for _, name := range migrationFiles(t) {
		text, err := os.ReadFile(filepath.Join("migrations/sqlite", name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToUpper(string(text)), "WITHOUT ROWID") {
			t.Errorf("%s makes a table without row numbers", name)
		}
	}
}

// takesAway finds what the version before could not work with: docs/storage.md has the rule.
var takesAway = regexp.MustCompile(
	`(?i)\b(DROP|RENAME|ALTER COLUMN|TRUNCATE)\b|\bADD COLUMN\b[^,;]*\bNOT NULL\b[^,;]*`)

// onlyAdds reports whether a migration expands, or says what it contracts.
func onlyAdds(text string) bool {
	if strings.Contains(text, "\n-- Contracts: ") {
		return true
	}
	for _, found := range takesAway.FindAllString(text, -1) {
		if !strings.Contains(strings.ToUpper(found), "DEFAULT") {
			return false
		}
	}
	return true
}

// TestMigrationsOnlyAdd checks that a program can work on the tables of the version after it.
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, name := range migrationFiles(t) {
			text, err := os.ReadFile(filepath.Join("migrations", engine, name))
			if err != nil {
				t.Fatal(err)
			}
			if !onlyAdds(string(text)) {
				t.Errorf("%s of %s takes something away", name, engine)
			}
		}
	}
	for text, want := range map[string]bool{
		"ALTER TABLE a ADD COLUMN b TEXT;":                            true,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT 'c';":       true,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL;":                   false,
		"alter table a drop column b;":                                false,
		"ALTER TABLE a RENAME TO b;":                                  false,
		"x\n-- Contracts: a.b, unused since 2\nALTER TABLE a DROP b;": true,
	} {
		if onlyAdds(text) != want {
			t.Errorf("%q: got %t", text, !want)
		}
	}
}

// versions are the versions that there ever were, the first one first.
func versions(t *testing.T) []int {
	t.Helper()
	var all []int
	for _, file := range migrationFiles(t) {
		all = append(all, versionOf(t, file))
	}
	return all
}

// versionOf is the version that a migration leads to.
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
