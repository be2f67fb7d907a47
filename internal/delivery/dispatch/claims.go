package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"mintmark/internal/issuing/orders"
)

const (
	// renewEvery is the interval at which the claims on orders in flight are renewed.
	renewEvery = 2 * time.Second
	// claimMargin is how long before the expiry of its claim an attempt is canceled. Once the claim
	// has expired, another node sends the order.
	claimMargin = time.Second
)

// claims holds the orders that a dispatcher has claimed and is sending, by order ID, each with a
// timer that cancels the attempt before the claim expires.
type claims struct {
	mu     sync.Mutex
	orders map[int]*time.Timer
}

// hold registers an order that is about to be sent; claimed is the wall time of its claim. The
// returned context is canceled before the claim expires, unless the claim is renewed. ok is false
// if this process is already sending the order.
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
	timer := time.AfterFunc(timeLeft(claimed), cancel)
	c.orders[orderID] = timer
	return held, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.orders, orderID)
		timer.Stop()
		cancel()
	}, true
}

// timeLeft returns the time left for attempts at an order that was claimed at the given time.
func timeLeft(claimed time.Time) time.Duration {
	return orders.ClaimTime - claimMargin - time.Since(claimed)
}

// orderIDs returns the IDs of the orders being sent, in ascending order.
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

// extend prolongs the attempts at orders whose claims were renewed at the given time, except those
// that have ended.
func (c *claims) extend(orderIDs []int, renewed time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, orderID := range orderIDs {
		if timer := c.orders[orderID]; timer != nil && timer.Stop() {
			timer.Reset(timeLeft(renewed))
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
			d.Log.WarnContext(ctx, "renewing order claims failed", "error", err)
		}
	}
}
