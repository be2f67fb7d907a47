package dispatch

import (
	"context"
	"sync"

	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
)

var _ issuing.Dispatcher = (*Dispatcher)(nil)

// OrdersWritten handles the orders that an act wrote. It wakes the dispatcher or, if Synchronous,
// returns after executing them. Orders that fail are left to the dispatcher.
func (d *Dispatcher) OrdersWritten(ctx context.Context, written []issuing.CardOrders) {
	if !d.Synchronous {
		d.wake()
		return
	}
	isOutcome := ctx.Value(carryingOut{}) != nil
	// The act is committed, so its orders do not depend on the caller's context.
	ctx = context.WithValue(context.WithoutCancel(ctx), carryingOut{}, true)
	for _, of := range written {
		for _, done := range of.Done {
			// The error is ignored: a processor made unreachable since then needs no notification.
			_, _ = d.submit(ctx, orders.ClaimedOrder{Message: done})
		}
		if of.Waiting && !isOutcome { // otherwise the loop of carryOut finds them
			d.carryOut(ctx, of.ProgramID, of.CardID)
		}
	}
}

// Predict returns the answer that the processor will give to an order. It returns false unless the
// dispatcher is Synchronous and its port can predict.
func (d *Dispatcher) Predict(m processor.Message) (processor.Answer, bool) {
	port, able := d.Port.(processor.Predicting)
	if !able || !d.Synchronous {
		return processor.Answer{}, false
	}
	return port.Predict(m)
}

// Resume executes, if Synchronous, the orders left by a process that died between the commit of an
// act and its orders. Orders that fail are left to the dispatcher.
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

// DeliverDue sends the orders that are due now and those that become due as a result, one after the
// other. An order that cannot be sent becomes due again later.
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

// carryingOut is the context key that marks the synchronous execution of orders.
type carryingOut struct{}

// carryOut executes the waiting orders of a card, one after the other, until none is left or one
// fails.
func (d *Dispatcher) carryOut(ctx context.Context, programID, cardID int) {
	defer d.cards.lock(cardID)()
	for {
		waiting, err := d.orders.OrdersOfCard(ctx, programID, cardID)
		if err != nil {
			d.Log.ErrorContext(ctx, "listing orders of card failed", "card", cardID, "error", err)
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

// cardLocks lets one goroutine at a time execute the orders of a card.
type cardLocks struct {
	mu   sync.Mutex
	held map[int]*cardLock
}

type cardLock struct {
	sync.Mutex
	wanted int // the number of goroutines that hold or wait for the lock
}

// lock locks a card and returns the function that unlocks it.
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
