package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

func (s *Controls) cardRoutes() []route {
	return []route{
		post("cards/{cardId}/reports", s.report),
		post("cards/{cardId}/lock", s.lock),
		post("cards/{cardId}/unlock", s.unlock),
		get("cards/{cardId}/number", s.number),
	}
}

// actorName is the name of the sandbox controls in the audit.
const actorName = "sandbox"

// system returns the actor of the bank's own systems, with all rights.
func (c *call) system() issuing.Operator {
	return issuing.Operator{
		Actor: audit.Actor{
			Kind: audit.Operator, Name: actorName, Address: c.Client, RequestID: c.ID,
			Reason: "sandbox control",
		},
		Roles: operator.Roles{operator.Administrator}, Scope: operator.Scope{All: true},
		Unguarded: true,
	}
}

// processor returns the actor of the card processor.
func (c *call) processor() audit.Actor {
	return audit.Actor{
		Kind: audit.Processor, Name: orders.ProcessorName, Address: c.Client, RequestID: c.ID,
	}
}

// report makes the simulated card processor report on a card.
func (s *Controls) report(ctx context.Context, c *call) (wire.Reported, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Reported{}, err
	}
	var kind order.ReportKind
	reason := ""
	err = c.read(func(o *strictjson.Object) {
		kind, reason = order.ReportKind(o.String("kind")), o.String("reason")
		if !slices.Contains(order.ReportKinds, kind) {
			o.Reject("kind", "must be one of "+problem.Names(order.ReportKinds))
		}
	})
	if err != nil {
		return wire.Reported{}, err
	}
	said, err := s.Processor.Report(of.ID, kind, reason)
	if err != nil {
		return wire.Reported{}, err
	}
	results, err := s.Service.Orders.ApplyReportsFrom(ctx, c.processor(), []order.Report{said})
	if err != nil {
		return wire.Reported{}, err
	}
	return wire.Reported{
		ID: results[0].ReportID, Result: string(results[0].Result), Reason: results[0].Reason,
	}, nil
}

// lock locks a card as the system.
func (s *Controls) lock(ctx context.Context, c *call) (wire.CardLock, error) {
	cardID, err := c.number("cardId")
	if err != nil {
		return wire.CardLock{}, err
	}
	reason := ""
	err = c.read(func(o *strictjson.Object) { reason = o.String("lockReasonTypeCode") })
	if err != nil {
		return wire.CardLock{}, err
	}
	after, err := s.Service.Cards.LockCard(ctx, c.system(), cardID, 0, reason)
	if err != nil {
		return wire.CardLock{}, noCard(err, cardID)
	}
	return shownLock(after.Card), nil
}

// unlock clears a lock as the system, unless the lock is permanent. An unlocked card stays
// unchanged.
func (s *Controls) unlock(ctx context.Context, c *call) (wire.CardLock, error) {
	before, err := s.card(ctx, c)
	if err != nil {
		return wire.CardLock{}, err
	}
	if err := c.readNothing(); err != nil {
		return wire.CardLock{}, err
	}
	if before.Lock.Type == card.Unlocked {
		return shownLock(before), nil
	}
	after, err := s.Service.Cards.UnlockCard(ctx, c.system(), before.ID, 0)
	if err != nil {
		return wire.CardLock{}, err
	}
	return shownLock(after.Card), nil
}

func shownLock(of card.Card) wire.CardLock {
	shown := wire.CardLock{
		CardID: of.ID, Status: string(of.Status), LockType: string(of.Lock.Type),
	}
	if of.Lock.Type != card.Unlocked {
		shown.Reason = string(of.Lock.Reason)
	}
	return shown
}

// number returns the full card number, which no other route of Mintmark does.
func (s *Controls) number(ctx context.Context, c *call) (wire.Number, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Number{}, err
	}
	kept, err := store.ReadOf(ctx, s.Store, func(r store.Tx) (store.SealedNumber, error) {
		return r.CardNumbers().Find(of.ProgramID, of.ID)
	})
	if err != nil {
		return wire.Number{}, err
	}
	whole, err := s.OpenNumber(ctx, kept.Sealed, of.ID)
	if err != nil {
		return wire.Number{}, err
	}
	return wire.Number{Number: whole.Reveal()}, nil
}

// card returns the card of the path.
func (s *Controls) card(ctx context.Context, c *call) (card.Card, error) {
	id, err := c.number("cardId")
	if err != nil {
		return card.Card{}, err
	}
	return s.findCard(ctx, id)
}

func (s *Controls) findCard(ctx context.Context, id int) (card.Card, error) {
	c, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (card.Card, error) {
		programID, err := r.Reports().FindProgram(id)
		if err != nil {
			return card.Card{}, err
		}
		return r.Cards().Find(programID, id)
	})
	return c, noCard(err, id)
}

// noCard converts store.ErrNotFound to a problem that names the card.
func noCard(err error, cardID int) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing(fmt.Sprintf("There is no card %d.", cardID))
	}
	return err
}
