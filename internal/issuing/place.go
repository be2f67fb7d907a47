package issuing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// Place is the bank and the program that something belongs to.
type Place = operator.Place

// Locate returns the bank and the program of a resource, given the noun of its routes, such as
// "cards", and its number. What is out of the operator's scope is as if it did not exist:
// store.ErrNotFound.
func (s *Service) Locate(ctx context.Context, who Operator, noun string, id int) (Place, error) {
	at, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (Place, error) {
		return r.Places().Find(store.PlaceKind(noun), id)
	})
	if err == nil && !who.Scope.Includes(at.BankID) {
		err = store.ErrNotFound
	}
	if err != nil {
		return Place{}, fmt.Errorf("%s %d: %w", noun, id, FaultOf(err))
	}
	return at, nil
}

// LocateOrder is Locate for an order by its public identifier, or by its number.
func (s *Service) LocateOrder(ctx context.Context, who Operator, id string) (Place, error) {
	text, _, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return Place{}, store.ErrNotFound
	}
	return s.Locate(ctx, who, string(store.PlaceOfOrder), number)
}

// LocateHold is Locate for a hold.
func (s *Service) LocateHold(ctx context.Context, who Operator, id string) (Place, error) {
	programID, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (int, error) {
		hold, err := r.Holds().FindView(id)
		if errors.Is(err, store.ErrNotFound) {
			end, err := r.Holds().FindEnd(id)
			return end.ProgramID, err
		}
		return hold.Hold.ProgramID, err
	})
	if err != nil {
		return Place{}, fmt.Errorf("hold: %w", FaultOf(err))
	}
	program, err := s.ProgramInScope(ctx, who, programID)
	if err != nil {
		return Place{}, FaultOf(err)
	}
	return Place{BankID: program.BankID, ProgramID: programID}, nil
}

// IsPlaced reports whether things of a noun belong to a bank and can be located.
func IsPlaced(noun string) bool {
	switch store.PlaceKind(noun) {
	case store.PlaceOfBank, store.PlaceOfProgram, store.PlaceOfCustomer, store.PlaceOfAccount,
		store.PlaceOfCard, store.PlaceOfOrder, store.PlaceOfWebhook:
		return true
	}
	return false
}

// AuditRefusal records in the audit that an operator was refused an act.
func (s *Service) AuditRefusal(
	ctx context.Context, who Operator, act string, about audit.Subject, at Place, outcome string,
) error {
	at = inAudit(at)
	return s.PutEntry(ctx, audit.Entry{
		Actor: who.Actor, Act: act, Subject: about, ProgramID: at.ProgramID, BankID: at.BankID,
		Outcome: outcome,
	})
}

// inAudit returns a place as audit entries record it: with its program alone, or with its bank if
// there is no program.
func inAudit(at Place) Place {
	if at.ProgramID != 0 {
		at.BankID = 0
	}
	return at
}
