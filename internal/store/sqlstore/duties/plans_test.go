package duties

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestPlans asks the embedded database how it would run the queries. None may walk through a table
// but for the states of the jobs, which are listed whole.
func TestPlans(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	err = engine.View(t.Context(), func(s db.Session) error {
		for text, index := range map[string]string{
			findJob: "sqlite_autoindex_jobs", listExpiring: "cards_expiring",
			listEffective: "documents_effective", listExpired: "documents_expires",
			hasNotice: "sqlite_autoindex_notices",
		} {
			steps := planOf(t, s, text)
			if strings.Contains(steps, "SCAN n") || strings.Contains(steps, "SCAN c") ||
				strings.Contains(steps, "SCAN d") || strings.Contains(steps, "SCAN j") ||
				strings.Contains(steps, "SCAN p") || !strings.Contains(steps, index) {
				t.Errorf("%s:\n%s", steps, text)
			}
		}
		if !strings.Contains(planOf(t, s, `SELECT card_id FROM cards WHERE nickname = $1`),
			"SCAN c") {
			t.Error("a query that walks through a table is not noticed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// planOf returns the steps in which the database would run a query.
func planOf(t *testing.T, s db.Session, text string) string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	steps, err := db.List(s, func(row db.Scan) (step string, err error) {
		var id, parent, unused int
		err = row(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
