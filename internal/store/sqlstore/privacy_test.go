package sqlstore_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/store/sqlstore/migrations"
)

// withText are queries for the columns that may hold a text: table and column.
var withText = map[string]string{
	migrations.SQLite: `SELECT m.name || '.' || c.name
		FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%'
			AND c.type IN ('TEXT', 'BLOB')`,
	migrations.PostgreSQL: `SELECT table_name || '.' || column_name
		FROM information_schema.columns WHERE table_schema = 'public'
			AND table_name NOT LIKE 'goose_%'
			AND data_type IN ('text', 'bytea', 'json', 'jsonb', 'character varying')`,
}

// TestPrivacyIsDecided holds docs/privacy.md against the tables of both databases: of each column
// that may hold a text it says, once, what it says about a person.
func TestPrivacyIsDecided(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/privacy.md")
	if err != nil {
		t.Fatal(err)
	}
	decided := decidedColumns(string(text))
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver, place := e.connect(t)
			kept, err := e.open(place)
			if err != nil {
				t.Fatal(err)
			}
			closeStore(t, kept)
			there := texts(t, connected(t, driver, place), withText[name])
			if len(there) < 100 {
				t.Errorf("%d columns are there", len(there))
			}
			if diff := cmp.Diff(there, decided); diff != "" {
				t.Errorf("docs/privacy.md (-there +decided):\n%s", diff)
			}
		})
	}
}

// noTexts are columns that say something about a person by a number.
var noTexts = []string{"customers.born_on", "customers.deceased_on"}

var (
	ofColumn = regexp.MustCompile("`([a-z_]+\\.[a-z_]+)`")
	ofTable  = regexp.MustCompile("^\\| `([a-z_]+)` \\|")
	ofName   = regexp.MustCompile("`([a-z_]+)`")
)

// decidedColumns returns the columns in the first cells of the first table, and those of the second
// table, which has a row for each table of the database.
func decidedColumns(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if table := ofTable.FindStringSubmatch(line); table != nil {
			_, cell, _ := strings.Cut(line, "` | ")
			for _, name := range ofName.FindAllStringSubmatch(cell, -1) {
				all = append(all, table[1]+"."+name[1])
			}
			continue
		}
		if cells := strings.Split(line, "|"); len(cells) > 1 {
			for _, name := range ofColumn.FindAllStringSubmatch(cells[1], -1) {
				if !slices.Contains(noTexts, name[1]) {
					all = append(all, name[1])
				}
			}
		}
	}
	slices.Sort(all)
	return all
}
