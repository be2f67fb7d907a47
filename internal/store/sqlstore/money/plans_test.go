package money

import (
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that no query of a transfer walks through a whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	plantest.Check(t, plantest.Queries{
		Texts: []string{
			findCardByID, findCardByDigest, findCardByEach, findUsagesByID, findUsagesByDigest,
			findUsagesByEach, findAuthorization,
			findAccount, findHold, findHoldUsages, findHoldEnd, listHolds, listDueHolds,
			findPosting, sumUsages,
		},
		Control: `SELECT hold_id FROM holds WHERE amount = $1`,
	})
}
