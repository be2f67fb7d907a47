package issuing

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
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

// IdempotencyLife is how long an answer is kept for the same request to come again, at least.
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

// ForgetPeopleJob is the name of the job that runs ForgetPeople.
const ForgetPeopleJob = "forget people in old rows"

// forgetPeopleBatch is how many rows one transaction empties at most, so that callers do not wait.
const forgetPeopleBatch = 100

// ForgetPeople takes names and addresses from orders that are old enough, and deletes approvals
// that are. It is a background job; to run it twice changes nothing.
func (s *Service) ForgetPeople(ctx context.Context) error {
	keep := s.Retention.Filled()
	for {
		emptied := 0
		err := s.store.Update(ctx, func(tx store.Tx) error {
			orders, err := tx.OldTraces().EmptySnapshots(tx.Now().Add(-keep.Orders),
				forgetPeopleBatch)
			if err != nil {
				return err
			}
			approvals, err := tx.Approvals().DeleteBefore(tx.Now().Add(-keep.Approvals),
				forgetPeopleBatch)
			emptied = max(orders, approvals)
			if err != nil || emptied == 0 {
				return err
			}
			return auditForgotten(tx, ForgetPeopleJob, "forget people",
				fmt.Sprintf("%d orders emptied, %d approvals dropped", orders, approvals))
		})
		if err != nil || emptied < forgetPeopleBatch {
			return err
		}
	}
}

// ForgetReconciliationsJob is the name of the job that runs ForgetReconciliations.
const ForgetReconciliationsJob = "forget old reconciliations"

// forgetReconciliationsBatch is how many reports one transaction deletes at most. A report holds up
// to 1,000 differences of each sort.
const forgetReconciliationsBatch = 20

// ForgetReconciliations deletes reports that are old enough. It is a background job; to run it
// twice changes nothing.
func (s *Service) ForgetReconciliations(ctx context.Context) error {
	for {
		deleted := 0
		err := s.store.Update(ctx, func(tx store.Tx) (err error) {
			deleted, err = tx.OldTraces().DeleteReconciliations(
				tx.Now().Add(-s.Retention.Filled().Reconciliations), forgetReconciliationsBatch)
			if err != nil || deleted == 0 {
				return err
			}
			return auditForgotten(tx, ForgetReconciliationsJob, "forget reconciliations",
				fmt.Sprintf("%d dropped", deleted))
		})
		if err != nil || deleted < forgetReconciliationsBatch {
			return err
		}
	}
}
