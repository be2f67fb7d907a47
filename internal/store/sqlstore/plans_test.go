package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store"
)

// plan returns the steps in which the database would run a query.
func plan(t *testing.T, one session, text string) []string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	var steps []string
	err := one.query(t.Context(), func(row scan) error {
		var id, parent, unused int
		var step string
		err := row(&id, &parent, &unused, &step)
		steps = append(steps, step)
		return err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil || len(steps) == 0 {
		t.Errorf("steps %q, error %v:\n%s", steps, err, text)
	}
	return steps
}

// TestPlans asks how the queries would be run that every request makes. None may walk through a
// whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	s := openedFile(t)
	one := <-s.readers
	defer func() { s.readers <- one }()
	for _, text := range []string{
		selectCards + whereCard, selectCards + whereOwn,
		selectCards + whereUnverified, hasNumber, findNumber, findOpening, findOpeningNames,
		findCreator,
		selectSlots + `WHERE card_id = $1`,
		slotsOf(whereCard), slotsOf(whereOwn), findBrief, findMaking, listAttempts, findAccountFor,
		StandingByID, standingByTag, standingByTags, listHoldings,
		findCustomer, listAccounts, findAccess,
		findProgram, listOrders, listOldPins, listAudit, findReplay, listDocuments, findDocument,
	} {
		for _, step := range plan(t, one, text) {
			// The orders that are left to do are all there is in their index.
			walks := strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "orders_open")
			if walks && step != "SCAN CONSTANT ROW" {
				t.Errorf("%s:\n%s", step, text)
			}
		}
	}
	// Cards that wait to be verified are few, and the index on them holds no others.
	waiting := strings.Join(plan(t, one, selectCards+whereUnverified), "\n")
	if !strings.Contains(waiting, "cards_unverified") {
		t.Errorf("cards that wait are found in another way:\n%s", waiting)
	}
}

