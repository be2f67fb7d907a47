package storetest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// aMoment is how long a transaction waits for another one that may have to wait for it.
const aMoment = 300 * time.Millisecond

// queueEndTogether ends two orders of a card in two transactions at the same time, where the
// database lets them overlap. The postponed order behind both must then be due.
func queueEndTogether(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "together", order.Remake, order.Lock, order.SetPin)
	claims(t, s, orders[0], orders[1])
	var begun atomic.Int32
	both, ended := make(chan struct{}), make(chan error, 2)
	for _, ending := range orders[:2] {
		go func() {
			ended <- s.Dispatch(context.Background(), func(o store.OrderQueue) error {
				before, err := o.Find(ending.ID)
				if err != nil {
					return err
				}
				after := before
				after.ClaimedBy, after.State, after.Ended = "", order.Done, o.Now()
				if err := o.Change(before, &after); err != nil {
					return err
				}
				if _, err := o.Find(ending.ID); err != nil { // writes before reads
					return err
				}
				if begun.Add(1) == 2 {
					close(both)
				}
				select {
				case <-both:
				case <-time.After(aMoment):
				}
				return nil
			})
		}()
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	claims(t, s, orders[2])
}

// queueDroppedMeanwhile drops an order in a transaction that began before the order behind it was
// postponed. That order must then be due.
func queueDroppedMeanwhile(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "dropped", order.SetAccounts, order.SetPin)
	settle(t, s, orders[0].ID, func(o *order.Order) { o.State = order.Held })
	looked := make(chan []order.Order, 1)
	looking := false
	update(t, s, func(tx store.Tx) error {
		before, err := tx.Orders().Find(orders[0].ID)
		if err != nil {
			return err
		}
		if !looking {
			looking = true
			go func() { looked <- claimed(t, s, 100) }()
			time.Sleep(aMoment) //nolint:forbidigo // No store tells that a caller waits.
		}
		after := before
		after.State, after.Ended, after.Dropped = order.Failed, created, created
		return tx.Orders().Change(before, &after)
	})
	if len(<-looked) == 0 {
		claims(t, s, orders[1])
	}
}
