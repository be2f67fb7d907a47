package reconciling

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/outbox"
	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that a page of cards or accounts begins where the last one has ended, and that
// the orders of a day, and those in files, are found without all others.
func TestPlans(t *testing.T) {
	t.Parallel()
	made := map[string]string{
		findReport: "USING INTEGER PRIMARY KEY", listReports: "USING INTEGER PRIMARY KEY",
		listOfProgram: "reconciliations", listCards: "USING INTEGER PRIMARY KEY",
		listOpen: "orders_card", listAnswered: "orders_card",
		listReported: "reports_card",
		listAccounts: "USING INTEGER PRIMARY KEY", outbox.CountSpan: "orders_created",
		outbox.ListUnanswered: "orders_open", outbox.ListFailed: "orders_failed",
		outbox.ListFiles: "orders_in_file", outbox.ListInFile: "orders_in_file",
	}
	queries := plantest.Queries{
		// What is open or has failed is little among all orders.
		Small:   []string{"orders_open", "orders_failed", "orders_in_file"},
		Control: `SELECT card_id FROM cards WHERE nickname = $1`,
	}
	for text := range made {
		queries.Texts = append(queries.Texts, text)
	}
	for text, steps := range plantest.Check(t, queries) {
		if !strings.Contains(steps, made[text]) {
			t.Errorf("%s:\n%s", steps, text)
		}
	}
}
