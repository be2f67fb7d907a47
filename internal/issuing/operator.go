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

// Operator is the person or the token that acts for the bank. Roles are checked before an act is
// called.
type Operator struct {
	audit.Actor
	Roles operator.Roles // operators can only grant roles that they hold
	Scope operator.Scope
	Owner operator.Owner // the person; of a token, its owner

	// DryRun runs the act and rolls it back: the response shows the result, and nothing is stored.
	DryRun bool
	// NeedsOther, if not nil, is set by a dry run: to true if the act needs a second operator.
	NeedsOther *bool

	// Request is the current request if it has an idempotency key, else nil.
	Request *OperatorRequest

	// Confirmed is the approval by a second operator; nil for an act without one. Unguarded acts
	// need none: those of the sandbox controls.
	Confirmed *Confirmation
	Unguarded bool
}

// caller returns the operator as the caller of an act outside any program.
func (o Operator) caller(act string) Caller {
	return Caller{
		Actor: o.Actor, Route: act, operator: o.Request, confirmed: o.Confirmed,
		unguarded: o.Unguarded,
	}
}

// identity returns the kind and ID of the actor, such as token:7.
func (o Operator) identity() string { return string(o.Kind) + ":" + strconv.Itoa(o.ID) }

// errDryRun rolls a dry run back once its result is known.
var errDryRun = errors.New("issuing: a dry run stores nothing")

// Page selects a page of a list: at most Limit items after the one with the key After. Each list
// has its own kind of key.
type Page struct {
	After string
	Limit int
}

// Area is the part of the installation that an operator's act belongs to: see InProgram, InBank and
// InInstallation.
type Area struct {
	kind areaKind
	id   int
}

type areaKind int

const (
	ofInstallation areaKind = iota
	ofBank
	ofProgram
)

// InInstallation is the area of an act that belongs to no bank.
var InInstallation = Area{}

// InBank is the area of an act that belongs to a bank, but to none of its programs.
func InBank(id int) Area { return Area{ofBank, id} }

// InProgram is the area of an act in a program.
func InProgram(id int) Area { return Area{ofProgram, id} }

// Act performs an operator's act in an area; name is its name in the audit. Anything outside the
// operator's scope is reported as store.ErrNotFound. A dry run is rolled back. An act that needs a
// second operator calls Tx.Guard in its transaction.
func (s *Service) Act(
	ctx context.Context, who Operator, in Area, name string, fn func(*Tx) error,
) error {
	caller, err := s.callerIn(ctx, who, in, name)
	if err != nil {
		return err
	}
	err = s.Update(ctx, caller, func(tx *Tx) error {
		if err := fn(tx); err != nil || !who.DryRun {
			return err
		}
		if who.NeedsOther != nil {
			*who.NeedsOther = tx.guarded
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// callerIn returns the caller of an act in an area. It returns an error if the area is outside the
// operator's scope.
func (s *Service) callerIn(
	ctx context.Context, who Operator, in Area, act string,
) (caller Caller, err error) {
	caller = who.caller(act)
	switch in.kind {
	case ofBank:
		caller.BankID = in.id
		if !who.Scope.Includes(in.id) {
			err = NoBank(in.id)
		}
	case ofProgram:
		caller.ProgramID = in.id
		_, err = s.ProgramInScope(ctx, who, in.id)
	}
	return caller, err
}

// View runs a closure that reads, in one snapshot. It returns store.ErrNotFound for a program
// outside the operator's scope.
func (s *Service) View(
	ctx context.Context, who Operator, programID int, fn func(store.Tx) error,
) error {
	if _, err := s.ProgramInScope(ctx, who, programID); err != nil {
		return err
	}
	return s.Store.View(ctx, fn)
}

// NoBank returns the error for a bank that does not exist or is out of scope.
func NoBank(id int) error { return fmt.Errorf("bank %d: %w", id, store.ErrNotFound) }

// ProgramInScope returns a program of the operator's scope.
func (s *Service) ProgramInScope(
	ctx context.Context, who Operator, programID int,
) (*Program, error) {
	snapshot, err := s.ProgramCache.Find(ctx, s.Store, programID)
	if err != nil {
		return nil, err
	}
	if !who.Scope.Includes(snapshot.BankID) {
		return nil, fmt.Errorf("program %d: %w", programID, store.ErrNotFound)
	}
	return snapshot, nil
}

// FindInScope returns the record that find returns if its program is in the operator's scope, else
// store.ErrNotFound.
func FindInScope[T any](
	ctx context.Context, s *Service, who Operator, programOf func(T) int,
	find func(r store.Tx) (T, error),
) (T, error) {
	record, err := store.ViewOf(ctx, s.Store, find)
	if err == nil {
		_, err = s.ProgramInScope(ctx, who, programOf(record))
	}
	if err != nil {
		var none T
		return none, err
	}
	return record, nil
}

// FindBank returns a bank of the operator's scope.
func (s *Service) FindBank(ctx context.Context, who Operator, id int) (store.Bank, error) {
	if !who.Scope.Includes(id) {
		return store.Bank{}, NoBank(id)
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (store.Bank, error) {
		return FindBank(r, id)
	})
}

// FindBank returns a bank, whatever the scope.
func FindBank(r store.Tx, id int) (store.Bank, error) {
	all, err := r.Banks().List()
	if err != nil {
		return store.Bank{}, err
	}
	for _, bank := range all {
		if bank.ID == id {
			return bank, nil
		}
	}
	return store.Bank{}, NoBank(id)
}
