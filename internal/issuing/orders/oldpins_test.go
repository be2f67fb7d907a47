package orders_test

import (
	"errors"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// expirePins runs the job and checks how many PINs it destroyed.
func expirePins(w *issuingtest.World, want int) {
	w.TB.Helper()
	got, err := w.Orders.ExpirePins(w.TB.Context())
	if err != nil || got != want {
		w.TB.Errorf("%d PINs were destroyed (%v), want %d", got, err, want)
	}
}

// waiting returns the orders that wait for the processor, by kind.
func waiting(w *issuingtest.World) map[order.Kind]order.Order {
	w.TB.Helper()
	orders := w.OrdersThatWait()
	byKind := make(map[order.Kind]order.Order)
	for _, o := range orders {
		byKind[o.Kind] = o
	}
	return byKind
}

// TestExpirePins keeps orders waiting for the processor for longer than a PIN lives. The PINs are
// destroyed, and so is an order that consists only of a PIN; the order for a card still waits.
func TestExpirePins(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.NewCard(func(req *cards.InitiateRequest) { req.NewPin = issuingtest.PlainPin("0001") })
	reset := func() {
		w.Must(w.Cards.ResetPin(t.Context(), issuingtest.Caller, cards.PinRequest{
			CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard},
			NewPin:  issuingtest.PlainPin("0002"),
		}))
	}
	reset()
	w.Clock.Advance(orders.PinLife)
	expirePins(w, 0) // a PIN exactly as old as its lifetime still waits
	if orders := waiting(w); len(orders) != 2 || w.Opened(orders[order.SetPin]) != "0002" {
		t.Errorf("the orders that wait are %+v", orders)
	}
	w.Clock.Advance(time.Millisecond)
	expirePins(w, 2)
	expirePins(w, 0)

	orders := waiting(w)
	remade, there := orders[order.Make]
	if len(orders) != 1 || !there || remade.SealedPin != nil ||
		!remade.PinExpired.Equal(w.Clock.Now()) {
		t.Errorf("the orders that wait are %+v", orders)
	}
	rows := w.Trail(issuingtest.VerifiedCard)
	for i, outcome := range []string{"PIN expired", "order failed"} {
		row := rows[len(rows)-2+i]
		if row.Actor != issuingtest.JobOf(issuing.ExpirePinsJob) || row.Outcome != outcome ||
			row.ProgramID != 1 {
			t.Errorf("a row of the trail is %+v, want %s", row, outcome)
		}
	}
	w.WantOrders(issuingtest.VerifiedCard, "card.pin failed its PIN was too old")

	// The customer requests a PIN again, and the new one waits.
	reset()
	if pin := w.Opened(waiting(w)[order.SetPin]); pin != "0002" {
		t.Errorf("the PIN that waits is %q", pin)
	}
}

// TestFailedJobsCountNothing rolls back the transactions of the jobs after their closures. Work
// that is not committed is not counted: operators read how many PINs were destroyed.
func TestFailedJobsCountNothing(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.NewCard(func(req *cards.InitiateRequest) { req.NewPin = issuingtest.PlainPin("0001") })
	w.Update(func(tx store.Tx) error {
		c, err := tx.Cards().Find(1, issuingtest.VerifiedCard)
		if err != nil {
			return err
		}
		late := c
		late.Status = card.PendingVerification
		return tx.Cards().Change(c, &late)
	})
	w.Clock.Advance(365 * 24 * time.Hour)
	for name, run := range map[string]func(*acts.Service) (int, error){
		issuing.ExpirePinsJob: func(s *acts.Service) (int, error) {
			return s.Orders.ExpirePins(t.Context())
		},
		issuing.ExpireJob: func(s *acts.Service) (int, error) {
			return s.Cards.ExpireUnverified(t.Context())
		},
	} {
		failing := acts.New(&lostAnswer{Store: w.Store}, w.Vault, w.Settings)
		if got, err := run(failing); got != 0 || !errors.Is(err, store.ErrUnknownOutcome) {
			t.Errorf("%s: %d were counted (%v)", name, got, err)
		}
		if got, err := run(w.Service); got == 0 || err != nil {
			t.Errorf("%s: %d were counted afterwards (%v)", name, got, err)
		}
	}
}

// TestExpirePinsInBatches destroys more PINs than fit in one transaction.
func TestExpirePinsInBatches(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	const pins = 250
	w.Update(func(tx store.Tx) error {
		for range pins {
			err := tx.Orders().Put(order.Order{
				CardID: issuingtest.VerifiedCard, Kind: order.SetPin, State: order.Waiting,
				SealedPin: []byte{1}, Created: w.Clock.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.Clock.Advance(orders.PinLife + time.Millisecond)
	most := 0
	w.Through(func(tx store.Tx) store.Tx { return &pinCounter{Tx: tx, most: &most} })
	expirePins(w, pins)
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
