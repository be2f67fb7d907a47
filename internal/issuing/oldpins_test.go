package issuing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// expirePins runs the job and wants it to have destroyed so many PINs.
func (w *world) expirePins(want int) {
	w.t.Helper()
	got, err := w.Orders.ExpirePins(w.t.Context())
	if err != nil || got != want {
		w.t.Errorf("%d PINs were destroyed (%v), want %d", got, err, want)
	}
}

// ordersThatWait returns the orders that wait for the processor, the oldest first.
func (w *world) ordersThatWait() []order.Order {
	w.t.Helper()
	var orders []order.Order
	w.view(func(r store.Tx) (err error) {
		orders, err = r.Orders().List(store.OrderQuery{State: order.Waiting, Limit: 99})
		return err
	})
	slices.Reverse(orders)
	return orders
}

// waiting returns the orders that wait for the processor, by their kind.
func (w *world) waiting() map[order.Kind]order.Order {
	w.t.Helper()
	orders := w.ordersThatWait()
	byKind := make(map[order.Kind]order.Order)
	for _, o := range orders {
		byKind[o.Kind] = o
	}
	return byKind
}

// TestExpirePins lets orders wait for the processor for longer than a PIN may. The PINs are gone,
// and so is the order for nothing but a PIN; the order for a card still waits.
func TestExpirePins(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.newCard(func(req *cards.InitiateRequest) { req.NewPin = plainPin("0001") })
	reset := func() {
		w.must(w.Cards.ResetPin(t.Context(), caller, cards.PinRequest{
			CardRef: issuing.CardRef{CustomerID: 1001, CardID: verifiedCard},
			NewPin:  plainPin("0002"),
		}))
	}
	reset()
	w.clock.Advance(orders.PinLife)
	w.expirePins(0) // a PIN that is exactly as old as its life still waits
	if orders := w.waiting(); len(orders) != 2 || w.opened(orders[order.SetPin]) != "0002" {
		t.Errorf("the orders that wait are %+v", orders)
	}
	w.clock.Advance(time.Millisecond)
	w.expirePins(2)
	w.expirePins(0)

	orders := w.waiting()
	remade, there := orders[order.Make]
	if len(orders) != 1 || !there || remade.SealedPin != nil ||
		!remade.PinExpired.Equal(w.clock.Now()) {
		t.Errorf("the orders that wait are %+v", orders)
	}
	rows := w.trail(verifiedCard)
	for i, outcome := range []string{"PIN expired", "order failed"} {
		row := rows[len(rows)-2+i]
		if row.Actor != jobOf(issuing.ExpirePinsJob) || row.Outcome != outcome ||
			row.ProgramID != 1 {
			t.Errorf("a row of the trail is %+v, want %s", row, outcome)
		}
	}
	w.wantOrders(verifiedCard, "card.pin failed its PIN was too old")

	// The customer asks again, and the new PIN waits.
	reset()
	if pin := w.opened(w.waiting()[order.SetPin]); pin != "0002" {
		t.Errorf("the PIN that waits is %q", pin)
	}
}

// TestFailedJobsCountNothing loses the transactions of the jobs behind their closures. What is not
// kept is not counted: operators are told of PINs that were destroyed.
func TestFailedJobsCountNothing(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.newCard(func(req *cards.InitiateRequest) { req.NewPin = plainPin("0001") })
	w.update(func(tx store.Tx) error {
		found, err := tx.Cards().Find(1, verifiedCard)
		if err != nil {
			return err
		}
		late := found
		late.Status = card.PendingVerification
		return tx.Cards().Change(found, &late)
	})
	w.clock.Advance(365 * 24 * time.Hour)
	for name, run := range map[string]func(*acts.Service) (int, error){
		issuing.ExpirePinsJob: func(s *acts.Service) (int, error) {
			return s.Orders.ExpirePins(t.Context())
		},
		issuing.ExpireJob: func(s *acts.Service) (int, error) {
			return s.Cards.ExpireUnverified(t.Context())
		},
	} {
		failing := acts.New(&lostAnswer{Store: w.store}, w.keys, w.Settings)
		if got, err := run(failing); got != 0 || !errors.Is(err, store.ErrUnknownOutcome) {
			t.Errorf("%s: %d were counted (%v)", name, got, err)
		}
		if got, err := run(w.Service); got == 0 || err != nil {
			t.Errorf("%s: %d were counted afterwards (%v)", name, got, err)
		}
	}
}

// TestExpirePinsInBatches has more PINs to destroy than fit into one transaction.
func TestExpirePinsInBatches(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	const pins = 250
	w.update(func(tx store.Tx) error {
		for range pins {
			err := tx.Orders().Put(order.Order{
				CardID: verifiedCard, Kind: order.SetPin, State: order.Waiting,
				SealedPin: []byte{1}, Created: w.clock.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.clock.Advance(orders.PinLife + time.Millisecond)
	most := 0
	w.through(func(tx store.Tx) store.Tx { return &pinCounter{Tx: tx, most: &most} })
	w.expirePins(pins)
	if most == 0 || most > 100 {
		t.Errorf("one transaction has destroyed %d PINs", most)
	}
}

// pinCounter counts the orders that a transaction changes.
type pinCounter struct {
	store.Tx
	here int
	most *int
}

func (p *pinCounter) Orders() store.Orders { return countedOrders{p.Tx.Orders(), p} }

type countedOrders struct {
	store.Orders
	*pinCounter
}

func (p countedOrders) Change(before order.Order, after *order.Order) error {
	p.here++
	*p.most = max(*p.most, p.here)
	return p.Orders.Change(before, after)
}
