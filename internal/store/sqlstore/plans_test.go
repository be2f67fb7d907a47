package sqlstore

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that no query of a request walks through a whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findViewByID, findViewByTag, findViewByTags, listByCustomer,
			findCard, listUnverified, listAttempts,
			findIssuance, findNamesTaken, findTaken,
			findStanding, findCreator, findCustomer, findAccountFor, findAccess,
			findProgram, findIssuing, listProgramPciKeys, listBins,
			hasPAN, hasPANOfEach, findPAN, findRecord,
			listDocuments, findDocument,
		},
		// Nickname alone is in no index.
		Control: `SELECT card_id FROM cards WHERE nickname = $1`,
	})
	// Cards that wait to be verified are few, and the index on them holds no others.
	if waiting := plans[listUnverified]; !strings.Contains(waiting, "cards_unverified") {
		t.Errorf("cards that wait are found in another way:\n%s", waiting)
	}
}
