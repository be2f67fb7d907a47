// Package issuing holds the acts of the service, one file each: fetch what the act needs, ask the
// rule in package card, save what it says, and leave a row in the audit trail, all in one
// transaction. The JSON face and the background duties call these acts, and so must any face to
// come, so that two ways to the same act cannot behave differently.
//
// The order of the checks of each act is part of the interface's precedence of faults and is told
// in docs/operations.md. A fault of the catalogue comes back as package fault knows it; any other
// error is the service's own trouble.
package issuing

import (
	"context"
	"errors"
	"io"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/card"
	"mintmark/internal/clock"
	"mintmark/internal/fault"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Settings say how the service behaves.
type Settings struct {
	// Mode is the rule book for reissues, card.Production or card.Sandbox.
	Mode card.Mode
	// Ending is what every new number ends in, four digits; empty for any number.
	Ending string
	// Random is where card numbers are drawn from. It must be safe for concurrent use.
	Random io.Reader
	// Clock is the time by which the settings of programs grow old.
	Clock *clock.Clock
	// Processor takes orders at once. Without one they wait in the store.
	Processor Processor
}

// Processor is a card processor that answers at once. It returns the card as the order leaves it.
type Processor interface {
	Take(order store.ProcessorOrder, c card.Card, now time.Time) card.Card
}

// Service performs the acts.
type Service struct {
	Settings
	store    store.Store
	vault    *vault.Vault
	programs snapshotCache
	inFlight inFlight

	readiness readiness
	long      *places // one is held by each long list that is being answered
}

// New returns a service over a store and a vault.
func New(kept store.Store, keys *vault.Vault, settings Settings) *Service {
	return &Service{
		Settings: settings, store: kept, vault: keys, long: newPlaces(),
		programs: snapshotCache{clock: settings.Clock},
	}
}

// Caller is who asks, as the face has found out, for access rights and the audit trail.
type Caller struct {
	audit.Actor
	ProgramID int
	Route     string // of the request; for jobs the name of the operation

	// EarlierClients says that answers keep to the habits of earlier clients.
	EarlierClients bool

	once *once // set while a request with an idempotency key is at work, see Once
}

// CardRef names a card and the customer who acts on it: its creator or its holder.
type CardRef struct {
	CustomerID int `json:"customerId"`
	CardID     int `json:"cardId"`
}

// maxTries bounds how often a transaction is run again after it lost a race. The closure then
// finds what the winner wrote and answers with the fault that fits.
const maxTries = 5

// read runs a closure that finds one thing of the caller's program.
func read[A any](
	ctx context.Context, s *Service, who Caller, fn func(*reading) (A, error),
) (A, error) {
	var answer A
	filled, err := s.programs.find(ctx, s.store, who.ProgramID)
	if err != nil {
		return answer, trouble(err)
	}
	err = s.store.Read(ctx, func(r store.Tx) error {
		var err error
		answer, err = fn(&reading{Tx: r, who: who, filled: filled})
		return err
	})
	return answer, trouble(err)
}

// write runs a closure that may change the caller's program. A closure that has to refuse and
// still keep what it wrote says so through writing.refuse.
func write[A any](
	ctx context.Context, s *Service, who Caller, fn func(*writing) (A, error),
) (A, error) {
	var answer A
	filled, err := s.programs.find(ctx, s.store, who.ProgramID)
	if err != nil {
		return answer, trouble(err)
	}
	var refusal error
	for try := range maxTries {
		err = s.store.Update(ctx, func(tx store.Tx) error {
			w := &writing{
				reading: reading{Tx: tx, who: who, filled: filled}, service: s,
				hopeful: try == 0,
			}
			err := who.once.check(w)
			if err != nil {
				return err
			}
			answer, err = fn(w)
			if err != nil && !w.keeps {
				return err
			}
			refusal = err
			return who.once.keep(tx, answer, refusal)
		})
		if !errors.Is(err, store.ErrExists) && !errors.Is(err, store.ErrLostUpdate) &&
			!errors.Is(err, errHopeless) {
			break
		}
	}
	if err != nil {
		return answer, trouble(err)
	}
	return answer, refusal
}

// trouble gives the troubles of the store and the vault that a caller can wait out their fault. Any
// other error stays as it is.
func trouble(err error) error {
	failing := (*vault.FailingError)(nil)
	switch {
	case errors.As(err, &failing):
		exceeded := fault.New(fault.RateExceeded)
		exceeded.RetryAfter = failing.Wait
		return exceeded
	case errors.Is(err, store.ErrUnknownOutcome):
		// It comes first: its cause may well be that the database is out of reach, and that fault
		// promises that nothing has changed.
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
