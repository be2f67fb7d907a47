package issuing

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// Operator is who acts for the bank. Which role an act needs is asked before it.
type Operator struct {
	audit.Actor
	Roles operator.Roles // nobody gives a role that they do not hold
	Scope operator.Scope
	Owner operator.Owner // the person behind the operator; of a token, its owner

	// DryRun says that the act is done and taken back: it answers what would be, and keeps nothing.
	DryRun bool

	// Request is the request with an idempotency key that is at work, nil for any other.
	Request *OperatorRequest

	// Confirmed is the approval of a second operator, nil for an act that has none. Unguarded acts
	// need none: those of the controls of a sandbox.
	Confirmed *Confirmation
	Unguarded bool
}

// caller is the operator in the transaction of an act, which is in no program.
func (o Operator) caller(act string) Caller {
	return Caller{
		Actor: o.Actor, Route: act, operator: o.Request, confirmed: o.Confirmed,
		unguarded: o.Unguarded,
	}
}

// identity is who acts, by kind and number: such as token:7.
func (o Operator) identity() string { return string(o.Kind) + ":" + strconv.Itoa(o.ID) }

// errDryRun takes an act back whose answer is known.
var errDryRun = errors.New("issuing: a dry run keeps nothing")

// Page is where a page of a list begins, and how long it is at most. After is the key of the last
// item of the page before; each list has its own.
type Page struct {
	After string
	Limit int
}

// inProgram runs an operator's act in a program. What is out of scope is as if it did not exist:
// store.ErrNotFound. Act is its name in the audit.
func (s *Service) inProgram(
	ctx context.Context, who Operator, programID int, act string, fn func(*writeTx) error,
) error {
	snapshot, err := s.programInScope(ctx, who, programID)
	if err != nil {
		return err
	}
	caller := who.caller(act)
	caller.ProgramID = programID
	return s.runOrTry(ctx, who, caller, snapshot, fn)
}

// runOrTry runs an operator's act, and takes it back when it is a dry run.
func (s *Service) runOrTry(
	ctx context.Context, who Operator, caller Caller, program *programSnapshot,
	fn func(*writeTx) error,
) error {
	err := s.updateIn(ctx, caller, program, func(w *writeTx) error {
		if err := fn(w); err != nil || !who.DryRun {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// programInScope finds a program of an operator's scope.
func (s *Service) programInScope(
	ctx context.Context, who Operator, programID int,
) (*programSnapshot, error) {
	snapshot, err := s.programs.find(ctx, s.store, programID)
	if err != nil {
		return nil, err
	}
	if !who.Scope.Includes(snapshot.bankID) {
		return nil, fmt.Errorf("program %d: %w", programID, store.ErrNotFound)
	}
	return snapshot, nil
}
