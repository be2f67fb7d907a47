package issuing

import (
	"cmp"
	"time"

	"mintmark/internal/domain/subscription"
)

// Retention says how long rows are kept before a job deletes or empties them. A
// zero period stands for its default.
type Retention struct {
	Answers    time.Duration // for requests that are repeated; the interface promises 24 hours
	Deliveries time.Duration // attempts to deliver events, with the beginnings of what was answered
	Orders     time.Duration // names and addresses in orders that are done
	Approvals  time.Duration // what acts asked for that needed a second operator
	// Reconciliations are reports. The newest of a program and kind is kept in any case.
	Reconciliations time.Duration
}

// IdempotencyLife is the minimum time for which an answer is kept for repeated requests.
const IdempotencyLife = 24 * time.Hour

// The periods that hold where none is set. Reports are kept for longer than a
// year, so that an audit of that year finds them.
const (
	keepOrders          = 90 * 24 * time.Hour
	keepApprovals       = 90 * 24 * time.Hour
	keepReconciliations = 400 * 24 * time.Hour
)

// Filled returns the periods that are in force.
func (r Retention) Filled() Retention {
	return Retention{
		Answers:    cmp.Or(r.Answers, IdempotencyLife),
		Deliveries: cmp.Or(r.Deliveries, subscription.KeepAttempts),
		Orders:     cmp.Or(r.Orders, keepOrders),
		Approvals:  cmp.Or(r.Approvals, keepApprovals),

		Reconciliations: cmp.Or(r.Reconciliations, keepReconciliations),
	}
}
