package dispatch

import (
	"context"
	"sync"

	"mintmark/internal/issuing"
)

var _ issuing.Outbox = (*Dispatcher)(nil)

// Written is told that orders were written for cards. It wakes the dispatcher or, where orders are
// carried out at once, returns when these are. What fails then is left to the dispatcher.
func (d *Dispatcher) Written(ctx context.Context, programID int, cardIDs []int) {
	if !d.AtOnce {
		d.wake()
		return
	}
	if ctx.Value(carryingOut{}) != nil {
		return // an outcome has written orders: carryOut looks again
	}
	// The act is committed, whatever becomes of its caller.
	ctx = context.WithValue(context.WithoutCancel(ctx), carryingOut{}, true)
	if d.Within != nil {
		ctx = d.Within(ctx)
	}
	for _, cardID := range cardIDs {
		d.carryOut(ctx, programID, cardID)
	}
}

// Resume carries out at once what an earlier process has left when it died between an act and its
// orders. What fails is left to the dispatcher.
func (d *Dispatcher) Resume(ctx context.Context) error {
	if !d.AtOnce {
		return nil
	}
	waiting, err := d.orders.WaitingOrders(ctx)
	if err != nil {
		return err
	}
	for _, one := range waiting {
		d.Written(ctx, one.ProgramID, []int{one.CardID})
	}
	return nil
}

// DeliverDue sends the orders that are due now, one after the other, and those that become due by
// it. What cannot be sent is due again later.
func (d *Dispatcher) DeliverDue(ctx context.Context) error {
	for {
		sent := 0
		for _, l := range d.lanes {
			claimed, err := d.claim(ctx, l.urgent, l.workers)
			if err != nil {
				return err
			}
			for _, one := range claimed {
				d.deliver(ctx, one)
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
		for _, one := range waiting {
			if !d.deliver(ctx, one) {
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
	one := l.held[cardID]
	if one == nil {
		one = &cardLock{}
		l.held[cardID] = one
	}
	one.wanted++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		one.wanted--
		if one.wanted == 0 {
			delete(l.held, cardID)
		}
	}
}
