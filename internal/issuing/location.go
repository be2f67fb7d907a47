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

// Location is the bank and the program to which something belongs.
type Location = operator.Location

// Locate returns the bank and the program of a resource, given the noun of its routes, such as
// "cards", and its ID. A resource outside the operator's scope is store.ErrNotFound, like one that
// does not exist.
func (s *Service) Locate(ctx context.Context, who Operator, noun string, id int) (Location, error) {
	at, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (Location, error) {
		return r.Locations().Find(store.LocationKind(noun), id)
	})
	if err == nil && !who.Scope.Includes(at.BankID) {
		err = store.ErrNotFound
	}
	if err != nil {
		return Location{}, fmt.Errorf("%s %d: %w", noun, id, err)
	}
	return at, nil
}

// LocateOrder is Locate for an order, given its public identifier or its number.
func (s *Service) LocateOrder(ctx context.Context, who Operator, id string) (Location, error) {
	text, _, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return Location{}, store.ErrNotFound
	}
	return s.Locate(ctx, who, string(store.LocationOfOrder), number)
}

// LocateHold is Locate for a hold.
func (s *Service) LocateHold(ctx context.Context, who Operator, id string) (Location, error) {
	programID, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (int, error) {
		hold, err := r.Holds().FindView(id)
		if errors.Is(err, store.ErrNotFound) {
			end, err := r.Holds().FindEnd(id)
			return end.ProgramID, err
		}
		return hold.Hold.ProgramID, err
	})
	if err != nil {
		return Location{}, fmt.Errorf("hold: %w", err)
	}
	program, err := s.ProgramInScope(ctx, who, programID)
	if err != nil {
		return Location{}, err
	}
	return Location{BankID: program.BankID, ProgramID: programID}, nil
}

// IsLocated reports whether resources with this noun belong to a bank and can be located.
func IsLocated(noun string) bool {
	switch store.LocationKind(noun) {
	case store.LocationOfBank, store.LocationOfProgram, store.LocationOfCustomer,
		store.LocationOfAccount, store.LocationOfCard, store.LocationOfOrder,
		store.LocationOfWebhook:
		return true
	}
	return false
}

// AuditRefusal stores an audit entry about an act that an operator was refused.
func (s *Service) AuditRefusal(
	ctx context.Context, who Operator, act string, about audit.Subject, at Location, outcome string,
) error {
	at = inAudit(at)
	return s.PutEntry(ctx, audit.Entry{
		Actor: who.Actor, Act: act, Subject: about, ProgramID: at.ProgramID, BankID: at.BankID,
		Outcome: outcome,
	})
}

// inAudit returns a location as audit entries record it: with its program alone, or with its bank
// if there is no program.
func inAudit(at Location) Location {
	if at.ProgramID != 0 {
		at.BankID = 0
	}
	return at
}
