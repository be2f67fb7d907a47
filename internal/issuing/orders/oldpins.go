package orders

import (
	"context"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
)

// PinLife is how long a PIN waits for the card processor before it is destroyed.
const PinLife = 24 * time.Hour

// pinBatch limits the PINs that one transaction destroys, so that callers do not wait.
const pinBatch = 100

// pinExpired is the audit outcome of a PIN that was destroyed because the processor did not accept
// it in time.
const pinExpired = "PIN expired"

// ExpirePins destroys the PINs that the processor has not accepted in time, in the given programs
// or in all, and returns how many. An order to change the PIN then fails, and the customer must
// request a new one. An order for a card continues without its PIN. It is a background job, and
// idempotent.
func (s *Service) ExpirePins(ctx context.Context, programIDs ...int) (int, error) {
	expire := func(job issuing.Caller) (int, error) { return s.expireSomePins(ctx, job) }
	return s.ForEachProgram(ctx, programIDs, issuing.ExpirePinsJob, "expire PIN", expire)
}

func (s *Service) expireSomePins(
	ctx context.Context, job issuing.Caller,
) (destroyed int, err error) {
	job.NoSettings = true
	err = s.Update(ctx, job, func(tx *issuing.Tx) error {
		before := tx.Now().Add(-PinLife)
		old, err := tx.Orders().ListOldPins(job.ProgramID, before, pinBatch)
		if err != nil {
			return err
		}
		for _, held := range old {
			if err := expirePin(tx, held); err != nil {
				return err
			}
		}
		destroyed = len(old)
		return nil
	})
	if err != nil {
		return 0, err // what the closure counted was rolled back
	}
	return destroyed, nil
}

// expirePin destroys the PIN of an order, also in a file that is not written yet. An order to
// change the PIN fails.
func expirePin(tx *issuing.Tx, before order.Order) error {
	if err := withdraw(tx, before); err != nil {
		return err
	}
	after := before
	after.SealedPin, after.PinExpired = nil, tx.Now()
	if err := tx.PutEntry(issuing.NewCardEntry(before.CardID, 0, pinExpired)); err != nil {
		return err
	}
	if before.Kind == order.SetPin {
		failed, possible := after.After(
			order.PinTooOld, order.Note{Error: pinTooOld}, tx.Now())
		if possible {
			return changeOrder(tx, before, &failed, orderFailed)
		}
	}
	return tx.Orders().Change(before, &after)
}
