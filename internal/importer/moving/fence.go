package moving

import (
	"context"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// The acts on a fence, as named in the audit log.
const (
	fenceAct = "fence program"
	liftAct  = "lift fence of program"
)

// FenceDelay is the time after a fence by which every request admitted before it has ended: nodes
// notice a fence within a second, reading a body takes at most 15 seconds, and a response 30.
const FenceDelay = 50 * time.Second

// Fence fences a program and returns how long it has been fenced, by the clock of the database. An
// existing fence stays unchanged.
func Fence(
	ctx context.Context, kept store.Store, who audit.Actor, programID int,
) (fenced time.Duration, err error) {
	err = kept.Update(ctx, func(tx store.Tx) error {
		p, err := tx.Programs().Find(programID)
		if err != nil {
			return err
		}
		fenced = 0
		if !p.Fenced.IsZero() {
			fenced = tx.Now().Sub(p.Fenced)
			return nil
		}
		return putFence(tx, who, programID, tx.Now(), fenceAct)
	})
	return fenced, err
}

// Lift lifts the fence of a program, and reports whether there was one.
func Lift(
	ctx context.Context, kept store.Store, who audit.Actor, programID int,
) (lifted bool, err error) {
	err = kept.Update(ctx, func(tx store.Tx) error {
		p, err := tx.Programs().Find(programID)
		lifted = !p.Fenced.IsZero()
		if err != nil || !lifted {
			return err
		}
		return putFence(tx, who, programID, time.Time{}, liftAct)
	})
	return lifted, err
}

func putFence(
	tx store.Tx, who audit.Actor, programID int, since time.Time, act string,
) error {
	if err := tx.Programs().PutFence(programID, since); err != nil {
		return err
	}
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: who, Act: act, ProgramID: programID,
		Subject: audit.Of(audit.Program, programID), Outcome: "changed",
	})
}
