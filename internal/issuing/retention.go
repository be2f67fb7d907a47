package issuing

import (
	"cmp"
	"time"

	"mintmark/internal/domain/subscription"
)

// Retention configures how long rows are stored before a job deletes or empties them. A zero period
// means the default.
type Retention struct {
	Answers    time.Duration // responses, for repeated requests; the interface promises 24 hours
	Deliveries time.Duration // attempts to deliver events, with the beginning of each response
	Orders     time.Duration // names and addresses in completed orders
	Approvals  time.Duration // contents of acts that needed a second operator
	// Reconciliations are reports. The newest of each program and kind is always retained.
	Reconciliations time.Duration
}

// IdempotencyLife is the minimum time for which a response is stored for repeated requests.
const IdempotencyLife = 24 * time.Hour

// Default periods. Reports are retained for longer than a year, so that an audit of that year finds
// them.
const (
	keepOrders          = 90 * 24 * time.Hour
	keepApprovals       = 90 * 24 * time.Hour
	keepReconciliations = 400 * 24 * time.Hour
)

// Filled returns the periods, with defaults for those that are not set.
func (r Retention) Filled() Retention {
	return Retention{
		Answers:    cmp.Or(r.Answers, IdempotencyLife),
		Deliveries: cmp.Or(r.Deliveries, subscription.KeepAttempts),
		Orders:     cmp.Or(r.Orders, keepOrders),
		Approvals:  cmp.Or(r.Approvals, keepApprovals),

		Reconciliations: cmp.Or(r.Reconciliations, keepReconciliations),
	}
}
