package webhooks

import (
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that no query about deliveries, of which there may be many, walks through a whole
// table. What is due, and what waits for nothing else, is all there is in its partial index.
func TestPlans(t *testing.T) {
	t.Parallel()
	plantest.Check(t, plantest.Queries{
		Texts: []string{
			findWebhook, findDelivery, listDeliveries, listEndpointsDue, listDue, listLane,
			hasWaiting, hasLane, listAttempts, listAttemptsOf, listReplays, deleteDead,
			deleteAttempts, changeEndpoint, putPosition, deleteDelivery, updateReplay,
		},
		Small:   []string{"deliveries_due"},
		Control: `SELECT event FROM deliveries WHERE last_error = $1`,
	})
}
