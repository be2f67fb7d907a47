package issuing_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// sent returns an order about a card as it is when the processor has accepted it.
func (w *world) sent(c card.Card, kind order.Kind) order.Order {
	w.t.Helper()
	var found order.Order
	w.update(func(tx store.Tx) error {
		o := order.Order{
			Token: "0123456789abcdef", CardID: c.ID, Kind: kind, State: order.Sent,
			Created: tx.Now(),
		}
		if err := tx.Orders().Put(o); err != nil {
			return err
		}
		all, err := tx.Orders().List(store.OrderQuery{CardID: c.ID, Limit: 1})
		if err == nil {
			found = all[0]
		}
		return err
	})
	return found
}

// about returns a report that names an order.
func (w *world) about(o order.Order, kind order.ReportKind) order.Report {
	one := w.report(card.Card{ID: o.CardID}, kind)
	one.OrderID, one.Reason = o.PublicID(), "why"
	return one
}

// wantOrder compares the state of an order with what it should be.
func (w *world) wantOrder(o order.Order, state order.State, lastError string) {
	w.t.Helper()
	var got order.Order
	w.update(func(tx store.Tx) error {
		var err error
		got, err = tx.Orders().Find(o.ID)
		return err
	})
	if got.State != state || got.LastError != lastError ||
		got.Ended.IsZero() == (state == order.Done || state == order.Failed) {
		w.t.Errorf("the order to %s is %s (%q), ended at %s", o.Kind, got.State, got.LastError,
			got.Ended)
	}
}

// TestReportsSettleOrders holds that a report ends the order that it names, once.
func TestReportsSettleOrders(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c := w.newCard(nil)
	made, pin, lock := w.sent(c, order.Make), w.sent(c, order.SetPin), w.sent(c, order.Lock)
	w.apply(w.about(made, order.Taken))
	w.wantOrder(made, order.Sent, "")
	w.apply(w.about(made, order.Shipped), w.about(pin, order.PinSet), w.about(lock, order.Taken))
	for _, one := range []order.Order{made, pin, lock} {
		w.wantOrder(one, order.Done, "")
	}
	late := w.about(made, order.Refused)
	want := []order.ReportResult{
		{ReportID: late.ID, Result: order.Ignored, Reason: "the order is done"},
	}
	if diff := cmp.Diff(want, w.apply(late)); diff != "" {
		t.Errorf("refused after it was done (-want +got):\n%s", diff)
	}
	if got := w.stored(c.ID).Status; got != card.PendingVerification {
		t.Errorf("the card is %s", got)
	}
}

// TestRefusedOrders holds that the refusal of the order to make a card denies the card, also one
// that replaces another, and that of another order does not.
func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	for _, status := range []card.Status{
		card.Initiated, card.ReissuePendingVerification, card.Verified,
	} {
		c := w.inStatus(w.newCard(nil), status)
		for _, kind := range []order.Kind{order.Lock, order.SetPin, order.Remake} {
			one := w.sent(c, kind)
			w.apply(w.about(one, order.Refused))
			w.wantOrder(one, order.Failed, "why")
			if got := w.stored(c.ID).Status; got != status {
				t.Errorf("after the refusal of %s the card is %s", kind, got)
			}
		}
		made := w.sent(c, order.Make)
		w.apply(w.about(made, order.Refused))
		w.wantOrder(made, order.Failed, "why")
		if got := w.stored(c.ID).Status; got != card.Denied {
			t.Errorf("after the refusal the card is %s", got)
		}
	}
}

// TestReportsAboutOtherOrders holds that a report that names no order of its card is ignored, and
// that a lock is done all the same.
func TestReportsAboutOtherOrders(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	c, other := w.newCard(nil), w.newCard(nil)
	made := w.sent(c, order.Make)
	foreign := w.about(made, order.Shipped)
	foreign.CardID = other.ID
	guessed := w.about(made, order.Shipped)
	guessed.OrderID = fmt.Sprintf("%d-%s", made.ID, "fedcba9876543210")
	unknown := w.about(made, order.Shipped)
	unknown.OrderID = "94711-0123456789abcdef"
	garbled := w.about(made, order.Shipped)
	garbled.OrderID = "garbled"
	for _, one := range []order.Report{foreign, guessed, unknown, garbled} {
		want := []order.ReportResult{{ReportID: one.ID, Result: order.Ignored,
			Reason: "there is no such order of the card"}}
		if diff := cmp.Diff(want, w.apply(one)); diff != "" {
			t.Errorf("order %s (-want +got):\n%s", one.OrderID, diff)
		}
		if got := w.stored(one.CardID).Status; got != card.Initiated {
			t.Errorf("the card is %s", got)
		}
	}
	w.wantOrder(made, order.Sent, "")
	garbled = w.about(made, order.Compromised)
	garbled.OrderID = "garbled"
	got := w.apply(garbled)[0]
	if lock := w.stored(c.ID).Lock; got.Result != order.Applied || lock.Type != card.System {
		t.Errorf("a lock is %+v, and the card has %v", got, lock)
	}
}

// TestOrdersAfterReports holds which reports make the processor be told something: the end of a
// card that it refuses, and no lock that it has reported itself.
func TestOrdersAfterReports(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	for _, row := range []struct {
		said order.ReportKind
		want []order.Kind // after that to make the card
	}{
		{order.Taken, nil}, {order.Shipped, nil}, {order.PinSet, nil},
		{order.PinTriesExceeded, nil}, {order.Compromised, nil},
		{order.Refused, []order.Kind{order.Close}},
	} {
		c := w.newCard(nil)
		w.reported(c, row.said)
		var got []order.Kind
		w.update(func(tx store.Tx) error {
			all, err := tx.Orders().List(store.OrderQuery{CardID: c.ID, Limit: 9})
			for _, o := range all {
				if o.Kind != order.Make {
					got = append(got, o.Kind)
				}
			}
			return err
		})
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("orders after %s (-want +got):\n%s", row.said, diff)
		}
	}
}
