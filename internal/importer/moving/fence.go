package moving

import (
	"context"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// The acts on a fence, as the audit names them.
const (
	fenceAct = "fence program"
	liftAct  = "lift fence of program"
)

// Settled is how long after a fence every request that was let in before has ended: nodes know of it
// within a second, a body takes 15 seconds at most, and an answer 30.
const Settled = 50 * time.Second

// Fence fences a program and returns for how long it has been, by the clock of the database. A fence
// that stands stays as it is.
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
