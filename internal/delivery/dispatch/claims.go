package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"mintmark/internal/issuing/orders"
)

const (
	// renewEvery is how often the claims on orders in flight are renewed.
	renewEvery = 2 * time.Second
	// claimMargin is how long before the end of its claim a try ends at the latest: another node
	// sends the order then.
	claimMargin = time.Second
)

// claims are the orders that a dispatcher has claimed and is sending, by their numbers, with what
// ends the try of each before its claim ends.
type claims struct {
	mu     sync.Mutex
	orders map[int]*time.Timer
}

// hold notes that an order is being sent that was claimed at a moment of wall time. The context that
// it returns ends before the claim does, unless it is renewed. It is not ok for an order that this
// process is sending already.
func (c *claims) hold(
	ctx context.Context, orderID int, claimed time.Time,
) (held context.Context, release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.orders[orderID] != nil {
		return ctx, nil, false
	}
	if c.orders == nil {
		c.orders = make(map[int]*time.Timer)
	}
	held, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(triesFor(claimed), cancel)
	c.orders[orderID] = timer
	return held, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.orders, orderID)
		timer.Stop()
		cancel()
	}, true
}

// triesFor is how long an order may still be tried whose claim began at a moment.
func triesFor(claimed time.Time) time.Duration {
	return orders.ClaimTime - claimMargin - time.Since(claimed)
}

// orderIDs returns the orders that are being sent, in the order of their numbers.
func (c *claims) orderIDs() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var orderIDs []int
	for orderID := range c.orders {
		orderIDs = append(orderIDs, orderID)
	}
	slices.Sort(orderIDs)
	return orderIDs
}

// extend lets orders be tried on whose claims were renewed at a moment, but for those whose try has
// ended.
func (c *claims) extend(orderIDs []int, renewed time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, orderID := range orderIDs {
		if timer := c.orders[orderID]; timer != nil && timer.Stop() {
			timer.Reset(triesFor(renewed))
		}
	}
}

// renewClaims renews the claims on orders in flight until the context ends.
func (d *Dispatcher) renewClaims(ctx context.Context) {
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		orderIDs, began := d.inFlight.orderIDs(), time.Now()
		if len(orderIDs) == 0 {
			continue
		}
		renewing, cancel := context.WithTimeout(ctx, renewEvery)
		err := d.orders.RenewClaims(renewing, d.Node, orderIDs)
		cancel()
		if err == nil {
			d.inFlight.extend(orderIDs, began)
		} else if ctx.Err() == nil {
			d.Log.WarnContext(ctx, "claims on orders not renewed", "error", err)
		}
	}
}
