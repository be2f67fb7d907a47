package duties

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that the queries of jobs use the indexes that were made for them.
func TestPlans(t *testing.T) {
	t.Parallel()
	made := map[string]string{
		findJob: "sqlite_autoindex_jobs", listExpiring: "cards_expiring",
		listEffective: "documents_effective", listExpired: "documents_expires",
		hasNotice: "sqlite_autoindex_notices",
	}
	queries := plantest.Queries{Control: `SELECT card_id FROM cards WHERE nickname = $1`}
	for text := range made {
		queries.Texts = append(queries.Texts, text)
	}
	for text, steps := range plantest.Check(t, queries) {
		if !strings.Contains(steps, made[text]) {
			t.Errorf("%s:\n%s", steps, text)
		}
	}
}
