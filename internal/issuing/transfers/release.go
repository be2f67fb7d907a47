package transfers

import (
	"context"
	"errors"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Release ends a hold without a posting, and returns the held amount to the account. The result is
// how the hold has ended: a repeated release, or one after the hold has expired, changes nothing.
func (s *Service) Release(
	ctx context.Context, from audit.Actor, holdID string,
) (authorization.End, error) {
	return process(ctx, s, from, store.CardRef{},
		func(t *transferTx) (authorization.End, error) { return t.release(holdID) })
}

func (t *transferTx) release(holdID string) (authorization.End, error) {
	hold, err := t.tx.Holds().FindView(holdID)
	if err == nil {
		t.contention.Sums, t.contention.Account = hold.Hold.CustomerID, hold.Hold.AccountID
		return authorization.Released, t.endHold(hold, authorization.Released, releaseAct)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	ended, err := t.tx.Holds().FindEnd(holdID)
	if errors.Is(err, store.ErrNotFound) {
		return "", missing("There is no such hold.")
	}
	switch {
	case err != nil:
	case ended.End == authorization.Posted:
		err = conflict("The hold was posted.")
	case ended.Emptied:
		err = t.tx.Holds().ChangeEnd(holdID)
		if err == nil {
			err = t.auditUnchanged(releaseAct, ended.ProgramID, ended.CardID, properties{
				AccountID: ended.AccountID, AuthorizationID: ended.AuthorizationID, HoldID: holdID,
				Kind: string(ended.Kind),
			})
		}
	}
	return ended.End, err
}

// endHold ends an active hold by an act, without a posting.
func (t *transferTx) endHold(
	v authorization.HoldView, end authorization.End, act string,
) error {
	hold, now := v.Hold, t.tx.Now()
	after, err := v.Account.Release(hold, now)
	if err != nil {
		return err
	}
	if err := t.tx.Holds().Delete(hold.EndedBy(end, "", now)); err != nil {
		return err
	}
	if err := t.putAccount(v.Account, after); err != nil {
		return err
	}
	_, taken := hold.Shrink(hold.Amount)
	program := v.Program.TakeParts(taken)
	if err := t.putProgramUsage(v.Program, program); err != nil {
		return err
	}
	if user := v.User.TakeParts(taken); user != v.User {
		if err := t.tx.Usages().Put(user); err != nil {
			return err
		}
	}
	entry := entryOf(act, string(end), hold.ProgramID, hold.CardID)
	return t.auditTransfer(entry, v.Account, properties{
		AccountID: hold.AccountID, Amount: exact(hold.Amount),
		AuthorizationID: hold.AuthorizationID, HoldID: hold.ID, Kind: string(hold.Kind),
	}.balances(after).withParticulars(hold.Particulars))
}

// holdBatch limits the holds that one transaction ends, so that transfers do not wait.
const holdBatch = 20

// EndHolds ends the holds that have expired, in the given programs or in all, and returns how many.
// It also deletes the marks of reversals that are too old. It is a background job, and idempotent.
func (s *Service) EndHolds(ctx context.Context, programIDs ...int) (int, error) {
	if err := s.forgetMarks(ctx); err != nil {
		return 0, err
	}
	end := s.SkipFenced(func(job issuing.Caller) (int, error) { return s.endSomeHolds(ctx, job) })
	return s.ForEachProgram(ctx, programIDs, issuing.EndHoldsJob, holdExpiredAct, end)
}

func (s *Service) endSomeHolds(ctx context.Context, job issuing.Caller) (int, error) {
	return process(ctx, s, job.Actor, store.CardRef{}, func(t *transferTx) (int, error) {
		due, err := t.tx.Holds().ListDue(job.ProgramID, t.tx.Now(), holdBatch)
		if err != nil {
			return 0, err
		}
		for _, hold := range due {
			// Holds of one batch may share an account, so each is read again.
			view, err := t.tx.Holds().FindView(hold.ID)
			if err != nil {
				return 0, err
			}
			if err := t.endHold(view, authorization.HoldExpired, holdExpiredAct); err != nil {
				return 0, err
			}
		}
		return len(due), nil
	})
}

func (s *Service) forgetMarks(ctx context.Context) error {
	return issuing.FaultOf(s.UpdateInBatches(ctx, holdBatch, func(tx store.Tx) (int, error) {
		return tx.Reversals().DeleteMarks(tx.Now().Add(-authorization.MarkLife), holdBatch)
	}))
}
