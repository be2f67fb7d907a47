package issuing

import (
	"context"
	"errors"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Names of the background jobs as actors.
const (
	ExpireJob       = "expire unverified cards"
	PurgeAnswersJob = "delete old answers"
	ExpirePinsJob   = "destroy old PINs"
	EndHoldsJob     = "expire holds"
	RenewJob        = "renew cards"
	CompromisesJob  = "handle compromised cards"
	KeysJob         = "warn about expiring keys"
	DocumentsJob    = "announce documents"
)

// JobActor returns a background job as an actor.
func JobActor(name string) audit.Actor { return audit.Actor{Kind: audit.Job, Name: name} }

// AuditPurge stores the entry of a job that deleted or emptied rows of all programs.
func AuditPurge(tx store.Tx, job, act, outcome string) error {
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: JobActor(job), Act: act, Outcome: outcome,
	})
}

// SkipFenced wraps a batch of a job so that it skips fenced programs: the installation that the
// program moves to does the same job.
func (s *Service) SkipFenced(batch func(job Caller) (int, error)) func(job Caller) (int, error) {
	return func(job Caller) (int, error) {
		if s.CheckFence(job.ProgramID) != nil {
			return 0, nil
		}
		return batch(job)
	}
}

// UpdateInBatches runs each batch in its own transaction, so that callers do not wait, until one
// does less than a whole batch.
func (s *Service) UpdateInBatches(
	ctx context.Context, whole int, batch func(store.Tx) (done int, err error),
) error {
	for {
		done := 0
		err := s.Store.Update(ctx, func(tx store.Tx) (err error) {
			done, err = batch(tx)
			return err
		})
		if err != nil || done < whole {
			return err
		}
	}
}

// ForEachProgram runs a job for the given programs, or for all if none is given, batch by batch
// until a batch is empty, and returns how much was done. If the batch of a program fails, the job
// continues with the next program.
func (s *Service) ForEachProgram(
	ctx context.Context, programIDs []int, name, act string,
	batch func(job Caller) (int, error),
) (int, error) {
	if len(programIDs) == 0 {
		var err error
		programIDs, err = store.ViewOf(ctx, s.Store, func(r store.Tx) ([]int, error) {
			return r.Programs().List()
		})
		if err != nil {
			return 0, err
		}
	}
	total := 0
	var failures []error
	for _, id := range programIDs {
		for {
			done, err := batch(Caller{Actor: JobActor(name), ProgramID: id, Route: act})
			total += done
			failures = append(failures, err)
			if err != nil || done == 0 {
				break
			}
		}
	}
	return total, errors.Join(failures...)
}
