package digesting

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that the job finds what is left of a rotation without a walk through the numbers
// of all cards.
func TestPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts:   []string{findState, nextState, listMissing, putSecond, move},
		Small:   []string{"card_numbers_second"}, // it holds what is left to be moved
		Control: `SELECT card_id FROM card_numbers WHERE second_digest IS NULL`,
	})
	if plan := plans[move]; !strings.Contains(plan, "card_numbers_second") {
		t.Errorf("what is left to be moved is found in another way:\n%s", plan)
	}
}
