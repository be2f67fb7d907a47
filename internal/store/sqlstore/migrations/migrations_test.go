package migrations

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// texts returns the migrations of a database by file name.
func texts(t *testing.T, database string) map[string]string {
	t.Helper()
	names, err := fs.Glob(files, path.Join(database, "*.sql"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	all := make(map[string]string)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// TestRowidTables checks that every table has row ids: some tools that copy a database in use need
// them.
func TestRowidTables(t *testing.T) {
	t.Parallel()
	for name, text := range texts(t, SQLite) {
		if strings.Contains(strings.ToUpper(text), "WITHOUT ROWID") {
			t.Errorf("%s makes a table without row numbers", name)
		}
	}
}

// TestSameNumbers checks that both databases have the same versions under the same names.
func TestSameNumbers(t *testing.T) {
	t.Parallel()
	server := texts(t, PostgreSQL)
	for name := range texts(t, SQLite) {
		other := path.Join(PostgreSQL, path.Base(name))
		if _, there := server[other]; !there {
			t.Errorf("there is %s, and no %s", name, other)
		}
		delete(server, other)
	}
	for name := range server {
		t.Errorf("there is %s for one database only", name)
	}
}

// contracting matches what the previous version could not work with: docs/storage.md has the rule.
var contracting = regexp.MustCompile(
	`(?i)\b(DROP|RENAME|ALTER COLUMN|TRUNCATE)\b|\bADD COLUMN\b[^,;]*\bNOT NULL\b[^,;]*`)

// storage matches how PostgreSQL stores long values, which is invisible to programs.
var storage = regexp.MustCompile(`(?i)ALTER COLUMN \w+ SET STORAGE`)

// onlyAdds reports whether a migration only expands the schema, or declares what it contracts.
func onlyAdds(text string) bool {
	if strings.Contains(text, "\n-- Contracts: ") {
		return true
	}
	for _, s := range contracting.FindAllString(storage.ReplaceAllString(text, ""), -1) {
		if !strings.Contains(strings.ToUpper(s), "DEFAULT") {
			return false
		}
	}
	return true
}

// TestMigrationsOnlyAdd checks that a program can work on the tables of the next version.
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	for _, database := range []string{SQLite, PostgreSQL} {
		for name, text := range texts(t, database) {
			if !onlyAdds(text) {
				t.Errorf("%s takes something away", name)
			}
		}
	}
	for text, want := range map[string]bool{
		"ALTER TABLE a ADD COLUMN b TEXT;":                            true,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT 'c';":       true,
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL;":                   false,
		"alter table a drop column b;":                                false,
		"ALTER TABLE a RENAME TO b;":                                  false,
		"ALTER TABLE a ALTER COLUMN b SET STORAGE EXTERNAL;":          true,
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;":                  false,
		"x\n-- Contracts: a.b, unused since 2\nALTER TABLE a DROP b;": true,
	} {
		if onlyAdds(text) != want {
			t.Errorf("%q: got %t", text, !want)
		}
	}
}
