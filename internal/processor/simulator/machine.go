// Package simulator is a card processor that is only a state machine: it accepts orders, stores
// cards and PINs, and reports what happens to them, immediately or on command. A sandbox runs it in
// its own process, through Port; package standin wraps it in a program that uses HTTP and files. It
// shows engineers of a real processor what Mintmark expects of theirs.
package simulator

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/vault"
)

// Mode is how the processor handles orders.
type Mode string

// The modes.
const (
	Instant  Mode = "instant"  // carries everything out immediately and reports it
	Manual   Mode = "manual"   // accepts orders and reports on command
	Refusing Mode = "refusing" // refuses every order permanently
	Down     Mode = "down"     // does not respond
)

// Modes lists the modes.
var Modes = []Mode{Instant, Manual, Refusing, Down}

// Machine is the state of the processor. It uses no clock and does no I/O. It is not safe for
// concurrent use.
type Machine struct {
	name    string // in the IDs of reports on command
	mode    Mode
	cards   map[int]*Card
	born    []int // card IDs, in the order of their first orders
	orders  map[string]*Received
	arrived []*Received    // orders, in order of arrival
	reports []order.Report // not delivered yet, oldest first
	made    int            // number of reports on command so far
}

// New returns a processor without cards or orders. Two processors that report to the same Mintmark
// must have different names.
func New(name string, mode Mode) *Machine {
	return &Machine{
		name: name, mode: mode, cards: map[int]*Card{}, orders: map[string]*Received{},
	}
}

// Received is an order as the processor stores it.
type Received struct {
	OrderID  string     `json:"orderId"`
	Sequence int        `json:"sequence"`
	Kind     order.Kind `json:"kind"`
	CardID   int        `json:"cardId"`
	At       time.Time  `json:"at"`
	Times    int        `json:"times"`  // number of arrivals
	Effect   Effect     `json:"effect"` // on first arrival, or on the first one after a refusal
	answer   processor.Answer
	snapshot order.Snapshot
}

// Effect is the effect of an order.
type Effect string

// The effects of an order.
const (
	Applied   Effect = "applied"
	Overtaken Effect = "overtaken" // a newer order of its card takes precedence
	Declined  Effect = "refused"
)

// Order is an order that reaches the processor, already decrypted.
type Order struct {
	ID        string
	Sequence  int
	Kind      order.Kind
	CardID    int
	ProgramID int
	Card      order.Snapshot
	Secret    *processor.Secret
}

// Receive processes an order. If repeated is true, the order was received before: nothing happens,
// and the answer is the first one. An order that was refused is decided again.
func (m *Machine) Receive(o Order, now time.Time) (answer processor.Answer, repeated bool) {
	received, known := m.orders[o.ID]
	if !known {
		received = &Received{
			OrderID: o.ID, Sequence: o.Sequence, Kind: o.Kind, CardID: o.CardID, At: now,
			snapshot: o.Card,
		}
		m.orders[o.ID] = received
		m.arrived = append(m.arrived, received)
	}
	received.Times++
	if known && received.Effect != Declined {
		return received.answer, true
	}
	received.Effect = Applied
	switch {
	case m.mode == Refusing:
		received.Effect = Declined
		received.answer = processor.Answer{Outcome: processor.Refused, Reason: "refusing"}
	case !m.card(o).apply(o):
		received.Effect = Overtaken
		received.answer = processor.Answer{Outcome: processor.Done}
	case m.mode == Manual && hasFollowUp(o.Kind):
		received.answer = processor.Answer{Outcome: processor.Accepted}
	default:
		received.answer = processor.Answer{
			Outcome: processor.Done, Reports: m.atOnce(received, now),
		}
	}
	return received.answer, false
}

// forget retains only the latest orders and cards. A forgotten order that arrives again has no
// effect, because of its sequence; a forgotten card starts again with its next order.
func (m *Machine) forget(keep int) {
	for len(m.born) > keep {
		delete(m.cards, m.born[0])
		m.born = m.born[1:]
	}
	for len(m.arrived) > keep {
		delete(m.orders, m.arrived[0].OrderID)
		m.arrived = m.arrived[1:]
	}
}

// hasFollowUp reports whether an accepted order of the kind leaves something to do.
func hasFollowUp(k order.Kind) bool {
	return k == order.Make || k == order.Remake || k == order.SetPin
}

// atOnce returns the reports of everything that will happen to an order.
func (m *Machine) atOnce(r *Received, now time.Time) []order.Report {
	var kinds []order.ReportKind
	switch {
	case r.Kind == order.SetPin:
		kinds = []order.ReportKind{order.PinSet}
	case hasFollowUp(r.Kind):
		kinds = []order.ReportKind{order.Taken, order.Shipped}
	}
	var reports []order.Report
	for _, kind := range kinds {
		m.cards[r.CardID].note(kind)
		reports = append(reports, order.Report{
			ID: fmt.Sprintf("%s-%s", r.OrderID, kind), OrderID: r.OrderID, CardID: r.CardID,
			Kind: kind, At: now,
		})
	}
	return reports
}

// Card is the processor's record of a card.
type Card struct {
	ID        int
	ProgramID int
	Making    string // ordered, taken, shipped, delivered, returned, refused
	Lock      string // empty, locked, hotlisted
	Closed    bool
	Accounts  *order.Accounts
	Snapshot  order.Snapshot    // of the order that last made the card
	Secret    *processor.Secret // number, expiry
	Pin       *vault.Pin

	makeOrder string // the order to which reports about making refer
	pinOrder  string
	latest    map[facet]int // sequence of the order that last decided each facet
}

// facet is a part of a card that orders change independently of the other parts.
type facet string

const (
	plastic  facet = "plastic"
	lock     facet = "lock"
	closing  facet = "closing"
	accounts facet = "accounts"
	pin      facet = "pin"
	expiry   facet = "expiry"
)

var facets = map[order.Kind]facet{
	order.Make: plastic, order.Remake: plastic, order.Lock: lock, order.Unlock: lock,
	order.Hotlist: lock, order.Close: closing, order.SetAccounts: accounts, order.SetPin: pin,
}

func (m *Machine) card(o Order) *Card {
	c, ok := m.cards[o.CardID]
	if !ok {
		c = &Card{ID: o.CardID, latest: map[facet]int{}}
		m.cards[o.CardID] = c
		m.born = append(m.born, o.CardID)
	}
	c.ProgramID = o.ProgramID
	return c
}

// decide reports whether an order is newer than the last one that decided a facet of the card. If
// it is, decide records it.
func (c *Card) decide(f facet, sequence int) bool {
	if sequence <= c.latest[f] {
		return false
	}
	c.latest[f] = sequence
	return true
}

// apply carries out an order unless a newer order of the same card takes precedence: a lock goes
// before older orders, which must not undo it.
func (c *Card) apply(o Order) bool {
	if !c.decide(facets[o.Kind], o.Sequence) {
		return false
	}
	if o.Secret != nil && c.decide(expiry, o.Sequence) {
		c.Secret = &processor.Secret{
			Number: o.Secret.Number, ExpireMonth: o.Secret.ExpireMonth,
			ExpireYear: o.Secret.ExpireYear,
		}
	}
	if o.Secret != nil && o.Secret.Pin != nil &&
		(o.Kind == order.SetPin || c.decide(pin, o.Sequence)) {
		c.Pin = o.Secret.Pin
	}
	switch o.Kind {
	case order.Make, order.Remake:
		if c.Closed && c.latest[closing] > o.Sequence {
			return false
		}
		c.Making, c.makeOrder, c.Snapshot = "ordered", o.ID, o.Card
		if o.Card.Accounts != nil && c.decide(accounts, o.Sequence) {
			c.Accounts = o.Card.Accounts
		}
	case order.Lock:
		c.Lock = "locked"
	case order.Hotlist:
		c.Lock = "hotlisted"
	case order.Unlock:
		c.Lock = ""
	case order.Close:
		c.Closed = true
	case order.SetAccounts:
		c.Accounts = o.Card.Accounts
	case order.SetPin:
		c.pinOrder = o.ID
	}
	return true
}

// note records a report about making the card.
func (c *Card) note(kind order.ReportKind) {
	switch kind {
	case order.Taken, order.Shipped, order.Delivered, order.Returned, order.Refused:
		c.Making = string(kind)
	case order.PinSet, order.PinTriesExceeded, order.Compromised:
	}
}

// Card returns the processor's record of a card, or nil before the first order that names it.
func (m *Machine) Card(id int) *Card { return m.cards[id] }

// Orders returns the orders of a card, or of all cards if cardID is 0, in order of arrival.
func (m *Machine) Orders(cardID int) []Received {
	var orders []Received
	for _, r := range m.arrived {
		if cardID == 0 || r.CardID == cardID {
			orders = append(orders, *r)
		}
	}
	return orders
}

// Mode returns how orders are handled.
func (m *Machine) Mode() Mode { return m.mode }

// SetMode changes how orders are handled.
func (m *Machine) SetMode(mode Mode) error {
	if !slices.Contains(Modes, mode) {
		return fmt.Errorf("a mode is one of %v", Modes)
	}
	m.mode = mode
	return nil
}
