package orders

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/processor"
	"mintmark/internal/store"
)

// DeliverJob is the name of the job that delivers orders.
const DeliverJob = "deliver orders"

// orderFailed is the audit outcome of an order that was refused or given up.
const orderFailed = "order failed"

// pinTooOld is the reason why an order to change a PIN failed.
const pinTooOld = "its PIN was too old"

// ClaimedOrder is an order that a node must send, with its message.
type ClaimedOrder struct {
	Order   order.Order
	Message processor.Message
}

// ClaimOrders claims at most limit due orders for a node, the urgent ones or the others. A claim
// expires, so that other nodes send what a dead node has claimed.
func (s *Service) ClaimOrders(
	ctx context.Context, node string, urgent bool, limit int,
) ([]ClaimedOrder, error) {
	due, err := s.hasDueOrders(ctx)
	if err != nil || !due {
		return nil, err
	}
	var orders []order.Order
	err = s.Store.Dispatch(ctx, func(o store.OrderQueue) error {
		claim := store.OrderClaim{
			Node: node, Until: o.Now().Add(ClaimTime), Urgent: urgent, Limit: limit,
		}
		if answered := s.answered.Load(); answered != nil {
			claim.Answered = *answered
		}
		claimed, err := o.Claim(claim)
		orders = claimed
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.buildMessages(ctx, orders)
}

// RenewClaims renews the claims on orders that a node is still sending.
func (s *Service) RenewClaims(ctx context.Context, node string, orderIDs []int) error {
	return s.Store.Dispatch(ctx, func(o store.OrderQueue) error {
		return o.Renew(node, o.Now().Add(ClaimTime), orderIDs)
	})
}

// ReleaseClaims releases the claims that an earlier process with the node's name has left, and
// makes urgent orders due that wait for their next attempt.
func (s *Service) ReleaseClaims(ctx context.Context, node string) error {
	return s.Store.Dispatch(ctx, func(o store.OrderQueue) error { return o.Free(node) })
}

// OrdersOfCard returns the waiting orders of a card, oldest first. Only one process at a time may
// execute them: it is for a sandbox.
func (s *Service) OrdersOfCard(
	ctx context.Context, programID, cardID int,
) ([]ClaimedOrder, error) {
	waiting, err := store.ReadOf(ctx, s.Store, func(r store.Tx) ([]order.Order, error) {
		return r.Orders().List(store.OrderQuery{
			ProgramID: programID, CardID: cardID, Waiting: true, Limit: ordersAtOnce,
		})
	})
	if err != nil {
		return nil, err
	}
	return s.buildMessages(ctx, waiting)
}

// WaitingOrders returns waiting orders of all programs, claimed or not.
func (s *Service) WaitingOrders(ctx context.Context) ([]order.Order, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) ([]order.Order, error) {
		return r.Orders().List(store.OrderQuery{State: order.Waiting, Limit: maxResumed})
	})
}

// maxResumed limits the orders that a sandbox executes when it starts.
const maxResumed = 10_000

// ordersAtOnce limits the orders of a card or a file that are handled together.
const ordersAtOnce = 100

// hasDueOrders reports whether an order is due. It saves a write transaction if there is nothing to
// claim.
func (s *Service) hasDueOrders(ctx context.Context) (bool, error) {
	return store.ReadOf(ctx, s.Store, func(r store.Tx) (bool, error) {
		return r.Orders().HasDue(r.Now())
	})
}

// buildMessages builds the message of each claimed order. Orders without a sequence are completed
// first; an order to change a PIN whose PIN is gone fails. An order that cannot be sent holds up
// only the orders of its card; its error is among those returned.
func (s *Service) buildMessages(
	ctx context.Context, claimed []order.Order,
) ([]ClaimedOrder, error) {
	var ready []order.Order
	var failures []error
	broken := make(map[int]bool) // by card ID
	for _, o := range claimed {
		complete, sends, err := s.completeOrder(ctx, o)
		if err != nil {
			failures = append(failures, fmt.Errorf("order %d: %w", o.ID, err))
			broken[o.CardID] = true
		}
		if sends && err == nil {
			ready = append(ready, complete)
		}
	}
	var all, unreadable []ClaimedOrder
	err := s.Store.View(ctx, func(r store.Tx) error {
		all, unreadable = nil, nil
		for _, o := range ready {
			message, err := s.buildMessage(r, o)
			switch {
			case errors.Is(err, errUnreadable):
				unreadable = append(unreadable, ClaimedOrder{Order: o})
			case err != nil:
				return err
			default:
				all = append(all, ClaimedOrder{o, message})
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(append(failures, err)...)
	}
	for _, claim := range unreadable {
		err := s.SettleOrder(ctx, claim, processor.Answer{}, errUnreadable)
		failures = append(failures, fmt.Errorf("order %d: %w", claim.Order.ID,
			cmp.Or(err, errUnreadable)))
		broken[claim.Order.CardID] = true
	}
	all = slices.DeleteFunc(all, func(claim ClaimedOrder) bool { return broken[claim.Order.CardID] })
	return all, errors.Join(failures...)
}

// errUnreadable is the error of an order whose card number or PIN cannot be decrypted.
var errUnreadable = errors.New("its card number or PIN cannot be decrypted")

// completeOrder returns a claimed order with its sequence, and whether it must be sent.
func (s *Service) completeOrder(
	ctx context.Context, o order.Order,
) (complete order.Order, sends bool, err error) {
	if o.Sequence == 0 {
		o, err = s.adoptOrder(ctx, o)
	}
	if err != nil || o.Kind != order.SetPin || len(o.SealedPin) > 0 {
		return o, err == nil, err
	}
	return o, false, s.failOrder(ctx, o, order.PinTooOld, order.Note{Error: pinTooOld})
}

// buildMessage returns the message of an order. A card without a PAN is identified by its cardId
// alone.
func (s *Service) buildMessage(r store.Tx, o order.Order) (processor.Message, error) {
	m := publicMessage(o)
	kept, err := r.CardNumbers().Find(o.ProgramID, o.CardID)
	if errors.Is(err, store.ErrNotFound) {
		return m, nil
	}
	if err != nil {
		return processor.Message{}, err
	}
	number, err := keys.OpenNumber(s.Service, r, kept.Sealed, o.CardID)
	if err != nil {
		return processor.Message{}, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	m.Secret = &processor.Secret{
		Number: number, ExpireMonth: o.ExpireMonth, ExpireYear: o.ExpireYear,
	}
	if len(o.SealedPin) > 0 {
		pin, err := keys.OpenPin(s.Service, r, o)
		if err != nil {
			return processor.Message{}, fmt.Errorf("%w: %w", errUnreadable, err)
		}
		m.Secret.Pin = &pin
	}
	return m, nil
}

// adoptOrder completes the orders of a card that the previous version of Mintmark wrote, and
// returns o as completed.
func (s *Service) adoptOrder(ctx context.Context, o order.Order) (adopted order.Order, err error) {
	who := issuing.Caller{Actor: issuing.JobActor(DeliverJob), ProgramID: o.ProgramID,
		Route: DeliverJob}
	err = s.Update(ctx, who, func(tx *issuing.Tx) error {
		before, err := tx.Cards().Find(o.ProgramID, o.CardID)
		if err != nil {
			return err
		}
		after := before
		after.Orders, err = numberLegacyOrders(tx, before)
		if err != nil {
			return err
		}
		if err := tx.Cards().Change(before, &after); err != nil {
			return err
		}
		adopted, err = tx.Orders().Find(o.ID)
		return err
	})
	return adopted, err
}

// SettleOrder stores the outcome of sending an order: the answer of the processor, or the error of
// an attempt without one, which is processor.ErrUnreachable or another. It applies the reports in
// the answer.
func (s *Service) SettleOrder(
	ctx context.Context, sent ClaimedOrder, answer processor.Answer, failure error,
) error {
	if failure == nil && !s.Sandbox() { // the clock of a sandbox may be set back
		claimed := sent.Order.NextTry.Add(-ClaimTime)
		s.answered.Store(&claimed)
	}
	event, note := order.Undelivered, order.Note{}
	switch {
	case errors.Is(failure, context.Canceled):
		event = order.Interrupted
	case failure != nil:
		note.Error = value.Cut(failure.Error(), maxErrorLength)
		note.Unreachable = errors.Is(failure, processor.ErrUnreachable)
	case answer.Outcome == processor.Done:
		event = order.IsDone
	case answer.Outcome == processor.Accepted:
		event, note.File = order.IsAccepted, answer.File
	case answer.Outcome == processor.Refused:
		event, note.Error = order.IsRefused, value.Cut(answer.Reason, maxErrorLength)
	}
	if event == order.IsRefused {
		return s.failOrder(ctx, sent.Order, event, note)
	}
	if len(answer.Reports) > 0 {
		return s.applyAnswer(ctx, sent.Order, event, answer.Reports)
	}
	return s.settle(ctx, sent.Order, event, note)
}

// maxErrorLength bounds the text of an error that is stored with an order, in bytes.
const maxErrorLength = 200

// errGivesUp ends a dispatch that would give up an order: that is an act, with its audit entry.
var errGivesUp = errors.New("issuing: the dispatch would give up the order")

// settle changes an order in the outbox alone. It begins with the order as claimed; if that has
// changed in the meantime, it reads the order again.
func (s *Service) settle(
	ctx context.Context, before order.Order, event order.Event, note order.Note,
) error {
	err := s.Store.Dispatch(ctx, func(o store.OrderQueue) error {
		return settleIn(o, before, event, note)
	})
	if errors.Is(err, store.ErrLostUpdate) {
		err = s.Store.Dispatch(ctx, func(o store.OrderQueue) error {
			match, err := o.Find(before.ID)
			if err != nil {
				return err
			}
			unanswered := event == order.Undelivered || event == order.Interrupted
			if unanswered && match.ClaimedBy != before.ClaimedBy {
				return nil // another node has claimed it
			}
			return settleIn(o, match, event, note)
		})
	}
	if errors.Is(err, errGivesUp) {
		return s.failOrder(ctx, before, order.GivenUp, note)
	}
	return err
}

func settleIn(o store.OrderQueue, before order.Order, event order.Event, note order.Note) error {
	after, changed := before.After(event, note, o.Now())
	if !changed {
		return nil
	}
	if after.State == order.Failed {
		return errGivesUp
	}
	return o.Change(before, &after)
}

// failOrder fails an order that was refused or given up, or has lost its PIN, with an audit entry.
// A card that the processor refuses to make becomes Denied.
func (s *Service) failOrder(
	ctx context.Context, of order.Order, event order.Event, note order.Note,
) error {
	who := issuing.Caller{Actor: issuing.JobActor(DeliverJob), ProgramID: of.ProgramID,
		Route: DeliverJob}
	if event == order.IsRefused {
		who.Actor = audit.Actor{Kind: audit.Processor, Name: ProcessorName, Reason: note.Error}
	}
	return s.Update(ctx, who, func(tx *issuing.Tx) error {
		before, err := tx.Orders().Find(of.ID)
		if err != nil {
			return err
		}
		after, changed := before.After(event, note, tx.Now())
		if !changed {
			return nil
		}
		if err := changeOrder(tx, before, &after, orderFailed); err != nil {
			return err
		}
		if err := withdraw(tx, after); err != nil {
			return err
		}
		if event != order.IsRefused || after.Kind != order.Make {
			return nil
		}
		c, err := tx.Cards().Find(after.ProgramID, after.CardID)
		if err != nil {
			return err
		}
		if denied, changed := c.RefuseToMake(tx.Now()); changed {
			_, err = SaveCard(tx, 0, c, denied)
		}
		return err
	})
}

// changeOrder stores an order after an event, with an audit entry about its card.
func changeOrder(tx *issuing.Tx, before order.Order, after *order.Order, outcome string) error {
	if err := tx.Orders().Change(before, after); err != nil {
		return err
	}
	entry := issuing.NewCardEntry(before.CardID, 0, outcome)
	entry.Before, entry.After = before.Shown(), after.Shown()
	return tx.PutEntry(entry)
}

// applyAnswer settles an order and applies the reports of the answer, in one transaction.
func (s *Service) applyAnswer(
	ctx context.Context, of order.Order, event order.Event, reports []order.Report,
) error {
	return s.Update(ctx, processorOf(of), func(tx *issuing.Tx) error {
		before, err := tx.Orders().Find(of.ID)
		if err != nil {
			return err
		}
		after, changed := before.After(event, order.Note{}, tx.Now())
		if !changed {
			return nil
		}
		if err := tx.Orders().Change(before, &after); err != nil {
			return err
		}
		return applyReports(tx, after, reports)
	})
}
