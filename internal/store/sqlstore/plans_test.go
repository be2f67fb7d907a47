package sqlstore

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// plan returns the steps in which the database would run a query.
func plan(t *testing.T, s db.Session, text string) []string {
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
	if err != nil || len(steps) == 0 {
		t.Errorf("steps %q, error %v:\n%s", steps, err, text)
	}
	return steps
}

// walk returns the step of a plan that walks through a whole table or index; empty without one.
func walk(steps []string) string {
	for _, step := range steps {
		// The orders that are left to do are all there is in their index.
		walks := strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "orders_open")
		if walks && step != "SCAN CONSTANT ROW" {
			return step
		}
	}
	return ""
}

// TestPlans asks the embedded database how it would run the queries that requests make. None may
// walk through a whole table.
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
			findViewByID, findViewByTag, findViewByTags, listByCustomer,
			findCard, listUnverified, listAttempts,
			findIssuance, findNamesTaken, findTaken,
			findStanding, findCreator, findCustomer, findAccountFor, findAccess,
			findProgram, findIssuing, listProgramPciKeys, listBins,
			hasPAN, findPAN, findRecord,
			listDocuments, findDocument,
		} {
			if step := walk(plan(t, s, text)); step != "" {
				t.Errorf("%s:\n%s", step, text)
			}
		}
		// Cards that wait to be verified are few, and the index on them holds no others.
		waiting := strings.Join(plan(t, s, listUnverified), "\n")
		if !strings.Contains(waiting, "cards_unverified") {
			t.Errorf("cards that wait are found in another way:\n%s", waiting)
		}
		// The control: nickname alone is in no index.
		if walk(plan(t, s, `SELECT card_id FROM cards WHERE nickname = $1`)) == "" {
			t.Error("a query that walks through a table is not noticed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
