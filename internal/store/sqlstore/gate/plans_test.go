package gate

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that what pages of the console and requests ask of approvals is read by an index:
// approvals are kept for months.
func TestPlans(t *testing.T) {
	t.Parallel()
	found := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findApproval, listApprovals, listWaiting, listOfOwner, endApproval, deleteResults,
			deleteApprovals, findAnswer, updateAnswer, deleteAnswers,
		},
		Control: `SELECT approval_id FROM approvals WHERE state = $1`,
	})
	for query, index := range map[string]string{
		listWaiting: "approvals_waiting", listOfOwner: "approvals_owner",
		deleteApprovals: "approvals_lapses",
	} {
		if !strings.Contains(found[query], index) {
			t.Errorf("%s is not read:\n%s", index, found[query])
		}
	}
}
