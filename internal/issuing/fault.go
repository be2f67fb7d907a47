package issuing

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/domain/fault"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// fenceRetry is the Retry-After of a fault for a fenced program.
const fenceRetry = time.Minute

// CheckFence returns the fault of a program that is fenced, as far as this node knows.
func (s *Service) CheckFence(programID int) error {
	if s.IsFenced == nil || !s.IsFenced(programID) {
		return nil
	}
	return Fenced()
}

// Fenced returns the fault of a program that is fenced.
func Fenced() error {
	fenced := fault.New(fault.Unavailable)
	fenced.RetryAfter = fenceRetry
	return fenced
}

// FaultOf returns the fault for a temporary error of the store or the vault. Any other error is
// returned as it is. What callers and the card processor ask for returns faults. Reads of operators
// return errors, which their face makes faults of.
func FaultOf(err error) error {
	failing := (*vault.FailingError)(nil)
	switch {
	case errors.As(err, &failing):
		exceeded := fault.New(fault.RateExceeded)
		exceeded.RetryAfter = failing.Wait
		return exceeded
	case errors.Is(err, store.ErrUnknownOutcome):
		// It comes before Unavailable, which promises that nothing has changed: the cause of an
		// unknown outcome may be that the database is out of reach.
		return errors.Join(fault.New(fault.GatewayTimeout), err)
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, vault.ErrBusy):
		unavailable := fault.New(fault.Unavailable)
		unavailable.RetryAfter = time.Second
		return errors.Join(unavailable, err)
	case errors.Is(err, context.DeadlineExceeded):
		return errors.Join(fault.New(fault.GatewayTimeout), err)
	}
	return err
}

// RefusedError is the refusal of an operator's act by a rule that callers never meet.
type RefusedError struct{ Detail string }

// Error returns the detail of the refusal.
func (e *RefusedError) Error() string { return e.Detail }
