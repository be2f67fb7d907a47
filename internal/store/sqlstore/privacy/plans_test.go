package privacy

import (
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that nothing that looks for copies walks through a whole table that grows for
// ever. Approvals, answers to operators and blocks of search texts are few.
func TestPlans(t *testing.T) {
	t.Parallel()
	plantest.Check(t, plantest.Queries{
		Texts: []string{
			findKeys + "($1)", deleteKey, listAnswers, putAnswer, putOperatorsAnswer, emptyApproval,
			emptyAttempts, putBlock, listSnapshots, putSnapshot,
		},
		Control: `SELECT order_id FROM orders WHERE snapshot = $1`,
	})
}
