package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// Steps of the order tests: put, claim and settle.

// putOrders stores orders of a new card, numbered from 1, and returns them as they are stored.
func putOrders(t *testing.T, s store.Store, name string, kinds ...order.Kind) []order.Order {
	t.Helper()
	c := kept(t, s, plain(name))
	update(t, s, func(tx store.Tx) error {
		for i, kind := range kinds {
			if err := tx.Orders().Put(anOrder(c.ID, i+1, kind)); err != nil {
				return err
			}
		}
		return nil
	})
	return ordersOf(t, s, c.ID)
}

// ordersOf returns the orders of a card, oldest first.
func ordersOf(t *testing.T, s store.Store, cardID int) []order.Order {
	t.Helper()
	orders := find(t, s, func(r store.Tx) ([]order.Order, error) {
		return r.Orders().List(store.OrderQuery{CardID: cardID, Limit: 2000})
	})
	slices.Reverse(orders)
	return orders
}

// dispatch runs a Dispatch that must succeed.
func dispatch(t *testing.T, s store.Store, fn func(store.OrderQueue) error) {
	t.Helper()
	if err := s.Dispatch(context.Background(), fn); err != nil {
		t.Fatalf("Dispatch: %v", err)
	}
}

// claimed claims orders and returns them, urgent orders first.
func claimed(t *testing.T, s store.Store, limit int) []order.Order {
	t.Helper()
	var all []order.Order
	dispatch(t, s, func(o store.OrderQueue) error {
		all = nil
		for _, urgent := range []bool{true, false} {
			orders, err := o.Claim(store.OrderClaim{
				Node: "node", Until: o.Now().Add(time.Minute), Urgent: urgent, Limit: limit,
			})
			if err != nil {
				return err
			}
			all = append(all, orders...)
		}
		return nil
	})
	return all
}

// claims expects a claim to return exactly the given orders, in any order.
func claims(t *testing.T, s store.Store, want ...order.Order) []order.Order {
	t.Helper()
	id := func(o order.Order) int { return o.ID }
	got := claimed(t, s, 100)
	ids, wanted := idsOf(id, got), idsOf(id, want)
	slices.Sort(ids)
	slices.Sort(wanted)
	wantSame(t, ids, wanted)
	return got
}

// settle changes an order as a dispatcher does, and returns it as it is stored.
func settle(t *testing.T, s store.Store, orderID int, how func(*order.Order)) order.Order {
	t.Helper()
	var after order.Order
	dispatch(t, s, func(o store.OrderQueue) error {
		before, err := o.Find(orderID)
		if err != nil {
			return err
		}
		after = before
		after.ClaimedBy = ""
		how(&after)
		return o.Change(before, &after)
	})
	return after
}

func done(o *order.Order)  { o.State, o.Ended = order.Done, created.Add(time.Hour) }
func again(o *order.Order) { o.NextTry, o.Attempts = created, o.Attempts+1 }
