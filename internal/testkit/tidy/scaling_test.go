package tidy

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	madeTable    = regexp.MustCompile(`(?m)^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(`)
	droppedTable = regexp.MustCompile(`(?m)^DROP TABLE (?:IF EXISTS )?(\w+)`)
	inBackquotes = regexp.MustCompile("`(\\w+)`")
)

// TestEveryTableHasAPlace compares docs/scaling.md with the schema: each table is in one row of the
// list that says where it would go.
func TestEveryTableHasAPlace(t *testing.T) {
	files, err := fs.Glob(os.DirFS(root), "internal/store/sqlstore/migrations/postgres/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	tables := make(map[string]bool)
	for _, name := range files { // in the order of their numbers
		up, _, _ := strings.Cut(readFile(t, name), "-- +goose Down")
		for _, found := range madeTable.FindAllStringSubmatch(up, -1) {
			tables[found[1]] = true
		}
		for _, found := range droppedTable.FindAllStringSubmatch(up, -1) {
			delete(tables, found[1])
		}
	}
	if len(tables) < 50 {
		t.Fatalf("the migrations make %d tables only", len(tables))
	}
	_, list, _ := strings.Cut(readFile(t, "docs/scaling.md"), "### Which table goes where")
	list, _, _ = strings.Cut(list, "\n### ")
	var placed []string
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "| ") {
			for _, found := range inBackquotes.FindAllStringSubmatch(line, -1) {
				placed = append(placed, found[1])
			}
		}
	}
	slices.Sort(placed)
	made := slices.Sorted(maps.Keys(tables))
	if diff := cmp.Diff(made, placed); diff != "" {
		t.Errorf("the schema and docs/scaling.md have other tables (-schema +page):\n%s", diff)
	}
}
