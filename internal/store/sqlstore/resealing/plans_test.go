package resealing

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that what is sealed under a key is found by its mark, and that neither the job
// nor an act walks through the numbers of all cards or through all orders.
func TestPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findKey, countNumbers, countPins, hasText, listNumbers, listPins, changeNumber,
			changePin,
		},
		Control: `SELECT card_id FROM card_numbers WHERE sealed = $1`,
	})
	for _, text := range []string{countNumbers, hasText, listNumbers} {
		if plan := plans[text]; !strings.Contains(plan, "card_numbers_key") {
			t.Errorf("%s\nfinds the numbers in another way:\n%s", text, plan)
		}
	}
	for _, text := range []string{countPins, hasText, listPins} {
		if plan := plans[text]; !strings.Contains(plan, "orders_pin_key") {
			t.Errorf("%s\nfinds the PINs in another way:\n%s", text, plan)
		}
	}
}
