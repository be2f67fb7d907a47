package webhooks

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestPlans asks the embedded database how it would run the queries about deliveries, of which
// there may be many. None may walk through a whole table. Webhooks
// themselves are few.
func TestPlans(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	queries := []string{
		findWebhook, findDelivery, listDeliveries, listEndpointsDue, listDue, listLane, hasWaiting,
		hasLane, listAttempts, listAttemptsOf, listReplays, deleteDead, deleteAttempts,
		changeEndpoint, putPosition, deleteDelivery, updateReplay,
	}
	err = engine.View(t.Context(), func(s db.Session) error {
		for _, text := range queries {
			for _, step := range steps(t, s, text) {
				if walks(step) {
					t.Errorf("%s:\n%s", step, text)
				}
			}
		}
		control := steps(t, s, `SELECT event FROM deliveries WHERE last_error = $1`)
		if len(control) == 0 || !walks(control[0]) {
			t.Errorf("a query that walks through a table is not noticed: %q", control)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// walks reports whether a step of a plan walks through a table. What is due, and what waits for
// nothing else, is all there is in its partial index.
func walks(step string) bool {
	return strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "deliveries_due")
}

func steps(t *testing.T, s db.Session, text string) []string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	found, err := db.List(s, func(row db.Scan) (step string, err error) {
		var id, parent, unused int
		err = row(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil || len(found) == 0 {
		t.Errorf("steps %q, error %v:\n%s", found, err, text)
	}
	return found
}
