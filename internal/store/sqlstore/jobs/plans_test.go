package jobs

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/outbox"
	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that the queries of jobs use the indexes that were made for them.
func TestPlans(t *testing.T) {
	t.Parallel()
	made := map[string]string{
		findJob: "sqlite_autoindex_jobs", listExpiring: "cards_expiring",
		listEffective: "documents_effective", listExpired: "documents_expires",
		hasNotice: "sqlite_autoindex_notices", nextPin: "orders_pins", nextHold: "holds_due",
		nextUnverified: "cards_unverified", nextExpiring: "cards_expiring",
		nextEffective: "documents_effective", nextExpiry: "documents_expires",
		nextAnswer: "replays_answered", nextOfOperators: "operator_answers_answered",
		nextUnreadResult: "approvals_unread", outbox.NextUrgent: "orders_due",
		outbox.NextOther: "orders_due",
	}
	queries := plantest.Queries{
		// Installations have few programs and few orders that were not reached; n and w are what a
		// part of the query has found.
		Small:   []string{"p", "programs", "orders_unreached", "n", "w"},
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
