package money

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestPlans asks the embedded database how it would run the queries of transfers. None may walk
// through a whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	err = engine.View(t.Context(), func(s db.Session) error {
		for _, text := range []string{
			findCardByID, findCardByDigest, findUsagesByID, findUsagesByDigest, findAuthorization,
			findAccount, findHold, findHoldUsages, findHoldEnd, listHolds, listDueHolds,
			findPosting, sumUsages,
		} {
			steps, err := db.List(s, scanStep, "EXPLAIN QUERY PLAN "+text,
				arguments(text)...)
			if err != nil || len(steps) == 0 {
				t.Errorf("steps %q, error %v:\n%s", steps, err, text)
			}
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN") {
					t.Errorf("%s:\n%s", step, text)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// arguments are as many as a query has placeholders.
func arguments(text string) (args []any) {
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	return args
}

func scanStep(row db.Scan) (step string, err error) {
	var id, parent, unused int
	err = row(&id, &parent, &unused, &step)
	return step, err
}
