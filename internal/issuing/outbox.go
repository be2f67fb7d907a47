package issuing

import (
	"encoding/hex"
	"math"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// ProcessorName is the name of the card processor as an actor.
const ProcessorName = "processor"

// orderRequest is an order that an act asks for.
type orderRequest struct {
	kind    order.Kind
	pin     *vault.Pin        // to be set; nil for none
	key     int               // of the bank, that number and PIN are sealed under
	creator customer.Customer // whom a card is sent to that is made
}

// ordersFor are the orders of an act: those that it asks for itself, then those that follow from the
// change of the card. A lock that the processor has reported is not sent back to it.
func (tx *Tx) ordersFor(before, after card.Card, asked []orderRequest) []orderRequest {
	for _, kind := range order.ForChange(before, after) {
		if kind.Urgent() && tx.caller.Kind == audit.Processor {
			continue
		}
		asked = append(asked, orderRequest{kind: kind})
	}
	return asked
}

// number counts further orders on a card that is about to be stored. Orders that a program of the
// version before has written for it are numbered first.
func (tx *Tx) number(c card.Card, further int) (card.Card, error) {
	if c.Orders < 0 && further > 0 {
		numbered, err := tx.adopt(c)
		if err != nil {
			return card.Card{}, err
		}
		c.Orders = numbered
	}
	c.Orders += further
	return c, nil
}

// adopt completes the orders of a card that a program of the version before has written, numbers
// them behind those that are counted, and returns the last number.
func (tx *Tx) adopt(c card.Card) (last int, err error) {
	behind := c.NumberedOrders()
	older, err := tx.Orders().List(
		store.OrderQuery{CardID: c.ID, Unnumbered: true, Limit: math.MaxInt32})
	if err != nil {
		return 0, err
	}
	for _, before := range older {
		behind++
		after, err := tx.filled(before, c)
		if err != nil {
			return 0, err
		}
		after.Sequence = behind
		if err := tx.Orders().Change(before, &after); err != nil {
			return 0, err
		}
	}
	return behind, nil
}

// filled is an order of the version before with what it lacks: the card as it is now.
func (tx *Tx) filled(o order.Order, c card.Card) (order.Order, error) {
	creator, err := tx.Customers().Find(c.ProgramID, c.CustomerID)
	if err != nil {
		return order.Order{}, err
	}
	o.Token, err = tx.service.newToken()
	if err != nil {
		return order.Order{}, err
	}
	o.ExpireMonth, o.ExpireYear = c.ExpireMonth, c.ExpireYear
	o.Snapshot = order.SnapshotFor(o.Kind, c, creator)
	return o, nil
}

// order stores the orders that were counted on a card, which is stored already.
func (tx *Tx) order(c card.Card, asked []orderRequest) error {
	for i, one := range asked {
		token, err := tx.service.newToken()
		if err != nil {
			return err
		}
		o := order.Order{
			Token: token, ProgramID: c.ProgramID, CardID: c.ID,
			Sequence: c.Orders - len(asked) + 1 + i, Kind: one.kind, State: order.Waiting,
			Snapshot: order.SnapshotFor(one.kind, c, one.creator), Created: tx.Now(),
			ExpireMonth: c.ExpireMonth, ExpireYear: c.ExpireYear, NextTry: tx.Now(),
		}
		if one.pin != nil {
			if err := tx.service.giveBankKey(tx, one.key); err != nil {
				return err
			}
			sealed, err := tx.service.vault.SealPin(one.key, *one.pin, c.ID)
			if err != nil {
				return err
			}
			o.SealedPin = sealed
		}
		if err := tx.putOrder(o); err != nil {
			return err
		}
	}
	return nil
}

// putOrder stores an order. In a sandbox it is done already, where that can be foreseen. Otherwise
// it is claimed there for the act, which carries it out once it is committed.
func (tx *Tx) putOrder(o order.Order) error {
	among := tx.ordersOf(o)
	reports, isDone, err := tx.foresee(o, among)
	if err != nil {
		return err
	}
	if isDone {
		return tx.putDone(o, reports, among)
	}
	among.Waiting = true
	if tx.service.Mode == card.Sandbox {
		o.ClaimedBy, o.NextTry = ownAct, tx.Now().Add(ownActTime)
	}
	return tx.Orders().Put(o)
}

// ordersOf are the orders of this act for the card of an order.
func (tx *Tx) ordersOf(o order.Order) *CardOrders {
	for i := range tx.ordered {
		if tx.ordered[i].CardID == o.CardID {
			return &tx.ordered[i]
		}
	}
	tx.ordered = append(tx.ordered, CardOrders{ProgramID: o.ProgramID, CardID: o.CardID})
	return &tx.ordered[len(tx.ordered)-1]
}

// foresee reports whether an order will be done at once, and with which reports: when the processor
// of a sandbox does so, and no earlier order of the card waits.
func (tx *Tx) foresee(
	o order.Order, among *CardOrders,
) (reports []order.Report, isDone bool, err error) {
	outbox := tx.service.Outbox
	if tx.service.Mode != card.Sandbox || outbox == nil || among.Waiting {
		return nil, false, nil
	}
	answer, known := outbox.Foresee(messageOf(o))
	if !known || answer.Outcome != processor.Done {
		return nil, false, nil
	}
	if o.Sequence == 1 || len(among.Done) > 0 {
		return answer.Reports, true, nil
	}
	earlier, err := tx.Orders().List(store.OrderQuery{
		ProgramID: o.ProgramID, CardID: o.CardID, Waiting: true, Limit: 1,
	})
	return answer.Reports, len(earlier) == 0, err
}

// putDone stores an order as the answer to it leaves it. Its reports are applied at the end of the
// act.
func (tx *Tx) putDone(o order.Order, reports []order.Report, among *CardOrders) error {
	o.Revision = 1 // as if it had been stored before it was sent
	done, _ := o.After(order.IsDone, order.Note{}, tx.Now())
	done, err := tx.Orders().PutNumbered(done)
	if err != nil {
		return err
	}
	among.Done = append(among.Done, messageOf(done))
	if len(reports) > 0 {
		tx.atEnd = append(tx.atEnd, func() error {
			tx.caller = processorOf(done)
			return tx.applyReports(done, reports)
		})
	}
	return nil
}

// messageOf is what an order says without what is secret.
func messageOf(o order.Order) processor.Message {
	return processor.Message{
		OrderID: o.PublicID(), Sequence: o.Sequence, Kind: o.Kind, CardID: o.CardID,
		ProgramID: o.ProgramID, Created: o.Created, Card: o.Snapshot,
	}
}

// tokenBytes is how many random bytes the identifier of an order has.
const tokenBytes = 8

// ownAct claims an order for the act that has written it, for ownActTime.
const (
	ownAct     = "act"
	ownActTime = 30 * time.Second
)

// ClaimTime is how long an order is a node's that has claimed it, unless the node renews the claim.
// Another node sends what a dead one had claimed within 10 seconds.
const ClaimTime = 7 * time.Second

// newToken returns the random part of an order's public identifier.
func (s *Service) newToken() (string, error) {
	drawn, err := s.draw(tokenBytes)
	return hex.EncodeToString(drawn), err
}
