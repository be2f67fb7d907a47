package customers

import (
	"context"
	"fmt"

	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

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
		err := s.Store.Update(ctx, func(tx store.Tx) error {
			orders, err := tx.Erasure().EmptySnapshots(tx.Now().Add(-keep.Orders),
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
			return issuing.AuditForgotten(tx, ForgetPeopleJob, "forget people",
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
		err := s.Store.Update(ctx, func(tx store.Tx) (err error) {
			deleted, err = tx.Erasure().DeleteReconciliations(
				tx.Now().Add(-s.Retention.Filled().Reconciliations), forgetReconciliationsBatch)
			if err != nil || deleted == 0 {
				return err
			}
			return issuing.AuditForgotten(tx, ForgetReconciliationsJob, "forget reconciliations",
				fmt.Sprintf("%d dropped", deleted))
		})
		if err != nil || deleted < forgetReconciliationsBatch {
			return err
		}
	}
}
