package issuing

import (
	"context"
	"time"

	"mintmark/internal/domain/order"
)

// PinLife is how long a PIN waits for the card processor before it is destroyed.
const PinLife = 24 * time.Hour

// pinBatch is how many PINs one transaction destroys at most, so that callers do not wait.
const pinBatch = 100

// pinExpired is the outcome of a PIN that was destroyed, because the processor did not take it in
// time.
const pinExpired = "PIN expired"

// ExpirePins destroys the PINs that the processor has not taken in time, in some programs or in
// all, and returns how many. An order to change the PIN is over then; the customer has to ask for a
// new one. An order for a card goes on without its PIN. It is a background job; to run it twice
// changes nothing.
func (s *Service) ExpirePins(ctx context.Context, programIDs ...int) (int, error) {
	expire := func(job Caller) (int, error) { return s.expireSomePins(ctx, job) }
	return s.everyProgram(ctx, programIDs, ExpirePinsJob, "expire PIN", expire)
}

func (s *Service) expireSomePins(ctx context.Context, job Caller) (destroyed int, err error) {
	// The job needs nothing of the settings of the program.
	err = s.run(ctx, job, nil, func(tx *Tx) error {
		before := tx.Now().Add(-PinLife)
		old, err := tx.Orders().ListOldPins(job.ProgramID, before, pinBatch)
		if err != nil {
			return err
		}
		for _, held := range old {
			if err := tx.expirePin(held); err != nil {
				return err
			}
		}
		destroyed = len(old)
		return nil
	})
	if err != nil {
		return 0, err // what the closure has counted is not kept
	}
	return destroyed, nil
}

// expirePin destroys the PIN of an order. An order to change the PIN fails with it.
func (tx *Tx) expirePin(before order.Order) error {
	after := before
	after.SealedPin, after.PinExpired = nil, tx.Now()
	if err := tx.audit(about(before.CardID, 0, pinExpired)); err != nil {
		return err
	}
	if before.Kind == order.SetPin {
		failed, possible := after.After(
			order.PinTooOld, order.Note{Error: pinTooOld}, tx.Now())
		if possible {
			return tx.changeOrder(before, &failed, orderFailed)
		}
	}
	return tx.Orders().Change(before, &after)
}
