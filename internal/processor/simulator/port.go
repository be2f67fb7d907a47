package simulator

import (
	"context"
	"maps"
	"sync"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
)

// Port is a simulator inside the process that sends the orders. Its methods are safe for concurrent
// use.
type Port struct {
	now func() time.Time

	mu      sync.Mutex
	machine *Machine
	changed time.Time // when the mode was last set
}

// kept is the maximum number of orders, and of cards, that a simulator inside a process retains.
const kept = 10_000

var _ processor.Predicting = (*Port)(nil)

// NewPort returns a simulator that uses a clock for the times of its reports.
func NewPort(machine *Machine, now func() time.Time) *Port {
	return &Port{machine: machine, now: now}
}

// Submit processes an order as of the time when it was written, or when the mode was set if that is
// later: an act of the sandbox and its result at the processor happen at the same time. A repeated
// order gets the same answer as before.
func (p *Port) Submit(_ context.Context, m processor.Message) (processor.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.machine.Mode() == Down {
		return processor.Answer{}, processor.ErrUnreachable
	}
	answer, _ := p.machine.Receive(p.received(m))
	p.machine.forget(kept)
	return answer, nil
}

// received returns the order for the machine, and the time at which it is processed.
func (p *Port) received(m processor.Message) (o Order, at time.Time) {
	at = m.Created
	if at.Before(p.changed) {
		at = p.changed
	}
	return Order{
		ID: m.OrderID, Sequence: m.Sequence, Kind: m.Kind, CardID: m.CardID,
		ProgramID: m.ProgramID, Card: m.Card, Secret: m.Secret,
	}, at
}

// Predict returns what Submit will return for an order in mode Instant. It runs the order on a copy
// of the machine that has the same record of the card.
func (p *Port) Predict(m processor.Message) (processor.Answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.machine.Mode() != Instant {
		return processor.Answer{}, false
	}
	other := New(p.machine.name, Instant)
	if c := p.machine.Card(m.CardID); c != nil {
		same := *c
		same.latest = maps.Clone(c.latest)
		other.cards[m.CardID] = &same
	}
	answer, _ := other.Receive(p.received(m))
	return answer, true
}

// SetMode changes how orders are handled from now on.
func (p *Port) SetMode(mode Mode) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.machine.SetMode(mode); err != nil {
		return err
	}
	p.changed = p.now()
	return nil
}

// Mode returns how orders are handled.
func (p *Port) Mode() Mode {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.machine.Mode()
}

// Report returns a report on command about any card, even one that no order has named. The caller
// applies it.
func (p *Port) Report(cardID int, kind order.ReportKind, reason string) (order.Report, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.machine.tell(cardID, kind, reason, p.now())
}
