package dispatch

import (
	"context"
	"sync"

	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
)

var _ issuing.Dispatcher = (*Dispatcher)(nil)

// OrdersWritten is told which orders an act has written. It wakes the dispatcher or, where orders are
// carried out at once, returns when these are. What fails then is left to the dispatcher.
func (d *Dispatcher) OrdersWritten(ctx context.Context, written []issuing.CardOrders) {
	if !d.Synchronous {
		d.wake()
		return
	}
	isOutcome := ctx.Value(carryingOut{}) != nil
	// The act is committed, whatever becomes of its caller.
	ctx = context.WithValue(context.WithoutCancel(ctx), carryingOut{}, true)
	for _, of := range written {
		for _, done := range of.Done {
			// A processor that was made unreachable since then has nothing to hear.
			_, _ = d.submit(ctx, orders.ClaimedOrder{Message: done})
		}
		if of.Waiting && !isOutcome { // else carryOut looks again
			d.carryOut(ctx, of.ProgramID, of.CardID)
		}
	}
}

// Predict returns what the processor will answer to an order where orders are carried out at once.
func (d *Dispatcher) Predict(m processor.Message) (processor.Answer, bool) {
	port, able := d.Port.(processor.Predicting)
	if !able || !d.Synchronous {
		return processor.Answer{}, false
	}
	return port.Predict(m)
}

// Resume carries out at once what an earlier process has left when it died between an act and its
// orders. What fails is left to the dispatcher.
func (d *Dispatcher) Resume(ctx context.Context) error {
	if !d.Synchronous {
		return nil
	}
	waiting, err := d.orders.WaitingOrders(ctx)
	if err != nil {
		return err
	}
	for _, o := range waiting {
		d.OrdersWritten(ctx, []issuing.CardOrders{
			{ProgramID: o.ProgramID, CardID: o.CardID, Waiting: true},
		})
	}
	return nil
}

// DeliverDue sends the orders that are due now, one after the other, and those that become due by
// it. What cannot be sent is due again later.
func (d *Dispatcher) DeliverDue(ctx context.Context) error {
	for {
		sent := 0
		for _, q := range d.queues {
			claimed, err := d.claim(ctx, q.urgent, q.workers)
			if err != nil {
				return err
			}
			for _, claim := range claimed {
				d.deliver(ctx, claim)
			}
			sent += len(claimed)
		}
		if sent == 0 {
			return ctx.Err()
		}
	}
}

// carryingOut marks the context in which orders are carried out at once.
type carryingOut struct{}

// carryOut carries out the orders of a card that wait, one after the other, until there are none or
// one fails.
func (d *Dispatcher) carryOut(ctx context.Context, programID, cardID int) {
	defer d.cards.lock(cardID)()
	for {
		waiting, err := d.orders.OrdersOfCard(ctx, programID, cardID)
		if err != nil {
			d.Log.ErrorContext(ctx, "orders not found", "card", cardID, "error", err)
		}
		if len(waiting) == 0 {
			return
		}
		for _, claim := range waiting {
			if !d.deliver(ctx, claim) {
				return
			}
		}
	}
}

// cardLocks lets one goroutine at a time carry out the orders of a card.
type cardLocks struct {
	mu   sync.Mutex
	held map[int]*cardLock
}

type cardLock struct {
	sync.Mutex
	wanted int // by how many goroutines
}

// lock waits for a card, and returns what lets the next have it.
func (l *cardLocks) lock(cardID int) (unlock func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = make(map[int]*cardLock)
	}
	c := l.held[cardID]
	if c == nil {
		c = &cardLock{}
		l.held[cardID] = c
	}
	c.wanted++
	l.mu.Unlock()
	c.Lock()
	return func() {
		c.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		c.wanted--
		if c.wanted == 0 {
			delete(l.held, cardID)
		}
	}
}
