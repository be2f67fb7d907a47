package overview

import (
	"context"
	"fmt"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// clockAct is the act in the audit entry about a jump of a node's clock. Package inspect looks for
// it.
const clockAct = "clock"

// clockJob is the name of a node's job that watches its clock.
const clockJob = "watch the clock"

// NoteJump records a jump of a node's clock in the audit. On a database whose time is that of the
// node, it corrects the times that a clock set back has left in the future.
func (s *Service) NoteJump(ctx context.Context, node string, jump clock.Jump) error {
	return s.Store.Update(ctx, func(tx store.Tx) error {
		return noteJump(tx, node, jump, jump.Taken && jump.By < 0 && s.OneWriter)
	})
}

// RepairTimes corrects the times that are in the future because the clock of the database was set
// back, and records that in the audit.
func (s *Service) RepairTimes(ctx context.Context, node string, by time.Duration) error {
	return s.Store.Update(ctx, func(tx store.Tx) error {
		return noteJump(tx, node, clock.Jump{By: -by, Taken: true}, true)
	})
}

// MendFuture calls RepairTimes if the newest act is more than clock.MaxStep in the future. It
// returns by how much, 0 for a clock that was not set back.
func (s *Service) MendFuture(ctx context.Context, node string) (back time.Duration, err error) {
	newest, now, err := s.NewestAct(ctx)
	back = newest.Sub(now)
	if err != nil || back <= clock.MaxStep {
		return 0, err
	}
	return back, s.RepairTimes(ctx, node, back)
}

func noteJump(tx store.Tx, node string, jump clock.Jump, mend bool) error {
	outcome := fmt.Sprintf("jumped by %v", jump.By.Round(time.Second))
	if jump.Taken {
		outcome += ", its time is taken"
	}
	if mend {
		if err := tx.Due().ChangeFuture(); err != nil {
			return err
		}
	}
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: issuing.JobActor(clockJob), Act: clockAct, Outcome: outcome,
		Subject: audit.Subject{Kind: audit.Installation, ID: node},
	})
}

// NewestAct returns the time of the newest act in the audit, zero before the first, and the current
// time.
func (s *Service) NewestAct(ctx context.Context) (at, now time.Time, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		entries, err := r.Trail().List(store.TrailQuery{Limit: 1})
		if len(entries) > 0 {
			at = entries[0].At
		}
		now = r.Now()
		return err
	})
	return at, now, err
}
