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

// CheckFence returns the fault of a fenced program. It is nil if, as far as this node knows, the
// program is not fenced.
func (s *Service) CheckFence(programID int) error {
	if s.IsFenced == nil || !s.IsFenced(programID) {
		return nil
	}
	return Fenced()
}

// Fenced returns the fault of a fenced program.
func Fenced() error {
	fenced := fault.New(fault.Unavailable)
	fenced.RetryAfter = fenceRetry
	return fenced
}

// FaultOf returns the fault for a temporary error of the store or the vault, and any other error
// unchanged. Acts of callers and of the card processor return faults. Reads by operators return
// plain errors, which the operators' interface converts to faults.
func FaultOf(err error) error {
	failing := (*vault.FailingError)(nil)
	switch {
	case errors.As(err, &failing):
		exceeded := fault.New(fault.RateExceeded)
		exceeded.RetryAfter = failing.Wait
		return exceeded
	case errors.Is(err, store.ErrUnknownOutcome):
		// This case precedes Unavailable, which promises that nothing has changed: an unknown
		// outcome may be caused by an unreachable database.
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

// RefusedError is the refusal of an operator's act by a rule that never applies to callers.
type RefusedError struct{ Detail string }

// Error returns the detail of the refusal.
func (e *RefusedError) Error() string { return e.Detail }
