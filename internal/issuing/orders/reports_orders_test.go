package orders_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// sent returns an order about a card in its state after the processor accepted it.
func sent(w *issuingtest.World, c card.Card, kind order.Kind) order.Order {
	w.TB.Helper()
	var match order.Order
	w.Update(func(tx store.Tx) error {
		o := order.Order{
			Token: "0123456789abcdef", CardID: c.ID, Kind: kind, State: order.Sent,
			Created: tx.Now(),
		}
		if err := tx.Orders().Put(o); err != nil {
			return err
		}
		all, err := tx.Orders().List(store.OrderQuery{CardID: c.ID, Limit: 1})
		if err == nil {
			match = all[0]
		}
		return err
	})
	return match
}

// about returns a report that names an order.
func about(w *issuingtest.World, o order.Order, kind order.ReportKind) order.Report {
	r := report(w, card.Card{ID: o.CardID}, kind)
	r.OrderID, r.Reason = o.PublicID(), "why"
	return r
}

// wantOrder compares the state of an order with the expected one.
func wantOrder(w *issuingtest.World, o order.Order, state order.State, lastError string) {
	w.TB.Helper()
	var got order.Order
	w.Update(func(tx store.Tx) error {
		var err error
		got, err = tx.Orders().Find(o.ID)
		return err
	})
	if got.State != state || got.LastError != lastError ||
		got.Ended.IsZero() == (state == order.Done || state == order.Failed) {
		w.TB.Errorf("the order to %s is %s (%q), ended at %s", o.Kind, got.State, got.LastError,
			got.Ended)
	}
}

// TestReportsSettleOrders checks that a report settles the order that it names, once.
func TestReportsSettleOrders(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	o, pin, lock := sent(w, c, order.Make), sent(w, c, order.SetPin), sent(w, c, order.Lock)
	apply(w, about(w, o, order.Taken))
	wantOrder(w, o, order.Sent, "")
	apply(w, about(w, o, order.Shipped), about(w, pin, order.PinSet), about(w, lock, order.Taken))
	for _, row := range []order.Order{o, pin, lock} {
		wantOrder(w, row, order.Done, "")
	}
	late := about(w, o, order.Refused)
	want := []order.ReportResult{
		{ReportID: late.ID, Result: order.Ignored, Reason: "the order is done"},
	}
	if diff := cmp.Diff(want, apply(w, late)); diff != "" {
		t.Errorf("refused after it was done (-want +got):\n%s", diff)
	}
	if got := w.Stored(c.ID).Status; got != card.PendingVerification {
		t.Errorf("the card is %s", got)
	}
}

// TestRefusedOrders checks that a refused order to produce a card denies the card, also a
// replacement, and that the refusal of another order does not.
func TestRefusedOrders(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	for _, status := range []card.Status{
		card.Initiated, card.ReissuePendingVerification, card.Verified,
	} {
		c := w.InStatus(w.NewCard(nil), status)
		for _, kind := range []order.Kind{order.Lock, order.SetPin, order.Remake} {
			o := sent(w, c, kind)
			apply(w, about(w, o, order.Refused))
			wantOrder(w, o, order.Failed, "why")
			if got := w.Stored(c.ID).Status; got != status {
				t.Errorf("after the refusal of %s the card is %s", kind, got)
			}
		}
		o := sent(w, c, order.Make)
		apply(w, about(w, o, order.Refused))
		wantOrder(w, o, order.Failed, "why")
		if got := w.Stored(c.ID).Status; got != card.Denied {
			t.Errorf("after the refusal the card is %s", got)
		}
	}
}

// TestReportsAboutOtherOrders checks that a report that names an order of another card is ignored,
// and that a lock takes effect nevertheless.
func TestReportsAboutOtherOrders(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c, other := w.NewCard(nil), w.NewCard(nil)
	o := sent(w, c, order.Make)
	foreign := about(w, o, order.Shipped)
	foreign.CardID = other.ID
	guessed := about(w, o, order.Shipped)
	guessed.OrderID = fmt.Sprintf("%d-%s", o.ID, "fedcba9876543210")
	unknown := about(w, o, order.Shipped)
	unknown.OrderID = "94711-0123456789abcdef"
	garbled := about(w, o, order.Shipped)
	garbled.OrderID = "garbled"
	for _, r := range []order.Report{foreign, guessed, unknown, garbled} {
		want := []order.ReportResult{{ReportID: r.ID, Result: order.Ignored,
			Reason: "there is no such order of the card"}}
		if diff := cmp.Diff(want, apply(w, r)); diff != "" {
			t.Errorf("order %s (-want +got):\n%s", r.OrderID, diff)
		}
		if got := w.Stored(r.CardID).Status; got != card.Initiated {
			t.Errorf("the card is %s", got)
		}
	}
	wantOrder(w, o, order.Sent, "")
	garbled = about(w, o, order.Compromised)
	garbled.OrderID = "garbled"
	got := apply(w, garbled)[0]
	if lock := w.Stored(c.ID).Lock; got.Result != order.Applied || lock.Type != card.System {
		t.Errorf("a lock is %+v, and the card has %v", got, lock)
	}
}

// TestOrdersAfterReports checks which reports cause orders to the processor: the closing of a card
// that it refuses, but no lock that it reported itself.
func TestOrdersAfterReports(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	for _, row := range []struct {
		said order.ReportKind
		want []order.Kind // after the order to produce it
	}{
		{order.Taken, nil}, {order.Shipped, nil}, {order.PinSet, nil},
		{order.PinTriesExceeded, nil}, {order.Compromised, nil},
		{order.Refused, []order.Kind{order.Close}},
	} {
		c := w.NewCard(nil)
		reported(w, c, row.said)
		var got []order.Kind
		w.Update(func(tx store.Tx) error {
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

// TestReportedLockMeetsUnlock has the processor report a card as compromised at about the time at
// which an order to unlock it arrives: the card stays locked at the processor, too.
func TestReportedLockMeetsUnlock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settled, reported time.Duration // after the unlock; an order that is never settled waits
		again             string
	}{
		"the unlock waits":            {reported: time.Minute, again: "card.hotlist waiting "},
		"the unlock came later":       {settled: 2 * time.Minute, reported: time.Minute, again: "card.hotlist waiting "},
		"the clocks may differ":       {settled: time.Minute, reported: 2 * time.Minute, again: "card.hotlist waiting "},
		"the unlock was there before": {settled: time.Minute, reported: 7 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewProduction(t)
			ref := issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
			w.Must(w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "TMP")))
			w.Must(w.Cards.Unlock(t.Context(), issuingtest.Caller, ref))
			r := report(w, w.Stored(ref.CardID), order.Compromised)
			r.At = w.Clock.Now().Add(test.reported)
			state := "waiting"
			if test.settled != 0 {
				w.Clock.Advance(test.settled)
				state = "done"
				for _, urgent := range []bool{true, false} {
					claimed, err := w.Orders.ClaimOrders(t.Context(), "node", urgent, 9)
					if err != nil {
						t.Fatal(err)
					}
					for _, claim := range claimed {
						if err := w.Orders.SettleOrder(t.Context(), claim, done, nil); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			w.Clock.Advance(time.Hour)
			apply(w, r)
			want := []string{"card.lock " + state + " ", "card.unlock " + state + " "}
			if test.again != "" {
				want = append(want, test.again)
			}
			w.WantOrders(ref.CardID, want...)
		})
	}
}
