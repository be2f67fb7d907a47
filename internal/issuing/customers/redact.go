package customers

import (
	"context"
	"errors"
	"fmt"

	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// RedactPeopleJob is the name of the job that runs RedactPeople.
const RedactPeopleJob = "erase old personal data"

// redactBatch limits the rows that one transaction empties, so that callers do not wait.
const redactBatch = 100

// RedactPeople empties the copies that erasures have left, removes names and addresses from old
// orders, and deletes old approvals. It is a background job, and idempotent.
func (s *Service) RedactPeople(ctx context.Context) error {
	return errors.Join(s.finishErasures(ctx), s.redactOld(ctx))
}

func (s *Service) redactOld(ctx context.Context) error {
	keep := s.Retention.Filled()
	return s.UpdateInBatches(ctx, redactBatch, func(tx store.Tx) (emptied int, err error) {
		orders, err := tx.Erasure().RedactOrders(tx.Now().Add(-keep.Orders), redactBatch)
		if err != nil {
			return 0, err
		}
		approvals, err := tx.Approvals().DeleteBefore(tx.Now().Add(-keep.Approvals), redactBatch)
		emptied = max(orders, approvals)
		if err != nil || emptied == 0 {
			return emptied, err
		}
		return emptied, issuing.AuditPurge(tx, RedactPeopleJob, "forget people",
			fmt.Sprintf("%d orders emptied, %d approvals dropped", orders, approvals))
	})
}

// PurgeReconciliationsJob is the name of the job that runs PurgeReconciliations.
const PurgeReconciliationsJob = "delete old reconciliations"

// purgeReconciliationsBatch limits the reports that one transaction deletes. A report holds up to
// 1,000 differences of each sort.
const purgeReconciliationsBatch = 20

// PurgeReconciliations deletes the reports that are older than Retention allows. It is a background
// job, and idempotent.
func (s *Service) PurgeReconciliations(ctx context.Context) error {
	return s.UpdateInBatches(ctx, purgeReconciliationsBatch, func(tx store.Tx) (int, error) {
		deleted, err := tx.Erasure().DeleteReconciliations(
			tx.Now().Add(-s.Retention.Filled().Reconciliations), purgeReconciliationsBatch)
		if err != nil || deleted == 0 {
			return deleted, err
		}
		return deleted, issuing.AuditPurge(tx, PurgeReconciliationsJob, "forget reconciliations",
			fmt.Sprintf("%d dropped", deleted))
	})
}
