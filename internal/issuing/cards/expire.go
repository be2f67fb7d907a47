package cards

import (
	"context"
	"time"

	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
)

// expireBatch limits the cards that one transaction expires, so that callers do not wait.
const expireBatch = 100

// ExpireUnverified expires the cards that were not verified within their program's window, in the
// given programs or in all, and returns how many. It is a background job, and idempotent.
func (s *Service) ExpireUnverified(ctx context.Context, programIDs ...int) (int, error) {
	return s.ForEachProgram(ctx, programIDs, issuing.ExpireJob, "expire",
		s.SkipFenced(func(job issuing.Caller) (int, error) { return s.expireSome(ctx, job) }))
}

func (s *Service) expireSome(ctx context.Context, job issuing.Caller) (expired int, err error) {
	job.NoSettings = true
	err = s.Update(ctx, job, func(tx *issuing.Tx) error {
		configured, err := tx.Programs().FindIssuing(job.ProgramID)
		if err != nil {
			return err
		}
		window := time.Duration(configured.VerificationWindowDays) * 24 * time.Hour
		before := tx.Now().Add(-window)
		late, err := tx.Cards().ListUnverified(job.ProgramID, before, expireBatch)
		if err != nil {
			return err
		}
		expired = 0
		for _, before := range late {
			after, ran := before.ExpireUnverified(tx.Now())
			if !ran {
				continue
			}
			if _, err := orders.SaveCard(tx, 0, before, after); err != nil {
				return err
			}
			expired++
		}
		return nil
	})
	if err != nil {
		return 0, err // what the closure counted was rolled back
	}
	return expired, nil
}
