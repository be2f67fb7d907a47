package issuingtest

import (
	"slices"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// OrdersThatWait returns the orders that wait for the processor, oldest first.
func (w *World) OrdersThatWait() []order.Order {
	w.TB.Helper()
	var orders []order.Order
	w.View(func(r store.Tx) (err error) {
		orders, err = r.Orders().List(store.OrderQuery{State: order.Waiting, Limit: 99})
		return err
	})
	slices.Reverse(orders)
	return orders
}

// WantOrders compares the orders of a card, oldest first, each as "kind state lastError".
func (w *World) WantOrders(cardID int, want ...string) {
	w.TB.Helper()
	var got []string
	for i, o := range w.OrdersOf(cardID) {
		if o.Sequence != i+1 {
			w.TB.Errorf("order %d of card %d has the sequence %d", i+1, cardID, o.Sequence)
		}
		got = append(got, string(o.Kind)+" "+string(o.State)+" "+o.LastError)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.TB.Errorf("orders of card %d (-want +got):\n%s", cardID, diff)
	}
}

// OrdersOf returns the orders of a card, oldest first.
func (w *World) OrdersOf(cardID int) []order.Order {
	w.TB.Helper()
	var orders []order.Order
	w.View(func(r store.Tx) (err error) {
		orders, err = r.Orders().List(store.OrderQuery{CardID: cardID, Limit: 99})
		return err
	})
	slices.Reverse(orders)
	return orders
}
