package orders

import (
	"math"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/importer/entity"
	"mintmark/internal/issuing"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// ProcessorName is the name of the card processor as an actor.
const ProcessorName = "processor"

// Request is an order that an act requests.
type Request struct {
	Kind    order.Kind
	Pin     *vault.Pin        // to set; nil for none
	Key     int               // of the bank; it encrypts number and PIN
	Creator customer.Customer // to whom a new card is sent
}

// ordersFor returns the orders of an act: those that it requests, then those that follow from the
// change of the card. A lock that the processor has reported is not sent back to it: see lockAgain.
func ordersFor(tx *issuing.Tx, before, after card.Card, requests []Request) []Request {
	for _, kind := range order.ForChange(before, after) {
		if kind.Urgent() && tx.Caller.Kind == audit.Processor {
			continue
		}
		requests = append(requests, Request{Kind: kind})
	}
	return requests
}

// CountIn adds further orders to the order count of a card that is about to be stored. Orders
// that the previous version of Mintmark wrote for it are numbered first.
func CountIn(tx *issuing.Tx, c card.Card, further int) (card.Card, error) {
	if c.Orders < 0 && further > 0 {
		numbered, err := numberLegacyOrders(tx, c)
		if err != nil {
			return card.Card{}, err
		}
		c.Orders = numbered
	}
	c.Orders += further
	return c, nil
}

// numberLegacyOrders completes the orders of a card that the previous version of Mintmark wrote,
// numbers them after those that are counted, and returns the last number.
func numberLegacyOrders(tx *issuing.Tx, c card.Card) (last int, err error) {
	behind := c.NumberedOrders()
	older, err := tx.Orders().List(
		store.OrderQuery{CardID: c.ID, Unnumbered: true, Limit: math.MaxInt32})
	if err != nil {
		return 0, err
	}
	for _, before := range older {
		behind++
		after, err := fillLegacyOrder(tx, before, c)
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

// fillLegacyOrder fills in what an order of the previous version lacks, from the current card.
func fillLegacyOrder(tx *issuing.Tx, o order.Order, c card.Card) (order.Order, error) {
	creator, err := tx.Customers().Find(c.ProgramID, c.CustomerID)
	if err != nil {
		return order.Order{}, err
	}
	o.Token, err = newToken(tx.Service)
	if err != nil {
		return order.Order{}, err
	}
	o.ExpireMonth, o.ExpireYear = c.ExpireMonth, c.ExpireYear
	o.Snapshot = order.SnapshotFor(o.Kind, c, creator)
	return o, nil
}

// Put stores the orders that Count has counted. The card must be stored already.
func Put(tx *issuing.Tx, c card.Card, requests []Request) error {
	for i, request := range requests {
		token, err := newToken(tx.Service)
		if err != nil {
			return err
		}
		o := order.Order{
			Token: token, ProgramID: c.ProgramID, CardID: c.ID,
			Sequence: c.Orders - len(requests) + 1 + i, Kind: request.Kind, State: order.Waiting,
			Snapshot: order.SnapshotFor(request.Kind, c, request.Creator), Created: tx.Now(),
			ExpireMonth: c.ExpireMonth, ExpireYear: c.ExpireYear, NextTry: tx.Now(),
		}
		if request.Pin != nil {
			if err := entity.EnsureBankKey(tx, tx.Service.Vault, request.Key); err != nil {
				return err
			}
			sealed, err := tx.Service.Vault.SealPin(request.Key, *request.Pin, c.ID)
			if err != nil {
				return err
			}
			o.SealedPin = sealed
		}
		if err := putOrder(tx, o); err != nil {
			return err
		}
	}
	return nil
}

// putOrder stores an order. A sandbox stores it as done if the processor's answer can be predicted;
// otherwise it claims the order for this act, which executes it after the commit.
func putOrder(tx *issuing.Tx, o order.Order) error {
	among := ordersOf(tx, o)
	reports, isDone, err := predict(tx, o, among)
	if err != nil {
		return err
	}
	if isDone {
		return putDone(tx, o, reports, among)
	}
	among.Waiting = true
	if tx.Service.Mode == card.Sandbox {
		o.ClaimedBy, o.NextTry = ownAct, tx.Now().Add(ownActTime)
	}
	return tx.Orders().Put(o)
}

// ordersOf returns the orders of this act for the card of an order.
func ordersOf(tx *issuing.Tx, o order.Order) *issuing.CardOrders {
	for i := range tx.Ordered {
		if tx.Ordered[i].CardID == o.CardID {
			return &tx.Ordered[i]
		}
	}
	tx.Ordered = append(tx.Ordered, issuing.CardOrders{ProgramID: o.ProgramID, CardID: o.CardID})
	return &tx.Ordered[len(tx.Ordered)-1]
}

// predict predicts whether the processor of a sandbox executes an order immediately, and with which
// reports. It does not if an earlier order of the card waits.
func predict(tx *issuing.Tx,
	o order.Order, among *issuing.CardOrders,
) (reports []order.Report, isDone bool, err error) {
	dispatcher := tx.Service.Dispatcher
	if tx.Service.Mode != card.Sandbox || dispatcher == nil || among.Waiting {
		return nil, false, nil
	}
	answer, known := dispatcher.Predict(publicMessage(o))
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

// putDone stores an order in its state after the predicted answer. Its reports are applied at the
// end of the act.
func putDone(
	tx *issuing.Tx, o order.Order, reports []order.Report, among *issuing.CardOrders,
) error {
	o.Revision = 1 // as if it had been stored before it was sent
	done, _ := o.After(order.IsDone, order.Note{}, tx.Now())
	done, err := tx.Orders().Insert(done)
	if err != nil {
		return err
	}
	among.Done = append(among.Done, publicMessage(done))
	if len(reports) > 0 {
		tx.BeforeCommit = append(tx.BeforeCommit, func() error {
			tx.Caller = processorOf(done)
			return applyReports(tx, done, reports)
		})
	}
	return nil
}

// publicMessage returns the message of an order without its secrets.
func publicMessage(o order.Order) processor.Message {
	return processor.Message{
		OrderID: o.PublicID(), Sequence: o.Sequence, Kind: o.Kind, CardID: o.CardID,
		ProgramID: o.ProgramID, Created: o.Created, Card: o.Snapshot,
	}
}

// tokenBytes is the number of random bytes in the identifier of an order.
const tokenBytes = 8

// ownAct claims an order for the act that wrote it, for ownActTime.
const (
	ownAct     = "act"
	ownActTime = 30 * time.Second
)

// ClaimTime is how long a node's claim on an order lasts unless it is renewed. Another node sends
// what a dead one had claimed within 10 seconds.
const ClaimTime = 7 * time.Second

// newToken returns the random part of an order's public identifier. It consists of letters: lists,
// logs and URLs refuse or hide what may be a card number.
func newToken(s *issuing.Service) (string, error) {
	drawn, err := s.RandomBytes(tokenBytes)
	return pan.Letters(drawn), err
}
