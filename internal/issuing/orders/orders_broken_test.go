package orders_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// badPANs is a store in which the number of one card is damaged or unreadable.
type badPANs struct {
	store.Store
	cardID int
	err    error // of the read; nil for a damaged number
}

func (b badPANs) View(ctx context.Context, fn func(store.Tx) error) error {
	return b.Store.View(ctx, func(tx store.Tx) error { return fn(badPANsTx{tx, b}) })
}

type badPANsTx struct {
	store.Tx
	bad badPANs
}

func (t badPANsTx) CardNumbers() store.CardNumbers { return damagedPANs{t.Tx.CardNumbers(), t.bad} }

type damagedPANs struct {
	store.CardNumbers
	bad badPANs
}

func (p damagedPANs) Find(programID, cardID int) (store.SealedNumber, error) {
	sealed, err := p.CardNumbers.Find(programID, cardID)
	if err == nil && cardID == p.bad.cardID {
		sealed.Sealed, err = []byte("damaged"), p.bad.err
	}
	return sealed, err
}

// TestUnreadableOrder checks that an order whose card number cannot be decrypted is retried later,
// like an undelivered one, and does not hold up the orders of other cards.
func TestUnreadableOrder(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	bad, good := w.NewCard(nil), w.NewCard(nil)
	service := acts.New(badPANs{w.Store, bad.ID, nil}, w.Vault, w.Settings)
	claimed, err := service.Orders.ClaimOrders(t.Context(), "node", false, 9)
	if err == nil {
		t.Error("nothing tells of the number that cannot be decrypted")
	}
	if len(claimed) != 1 || claimed[0].Message.CardID != good.ID {
		t.Errorf("claimed %+v", claimed)
	}
	left := w.OrdersOf(bad.ID)[0]
	if left.State != order.Waiting || left.Attempts != 1 || left.LastError == "" ||
		left.ClaimedBy != "" {
		t.Errorf("the order is left as %+v", left)
	}
}

// TestNoHalfMessages checks that a claim that fails with a store error returns no order: without
// its message, an order would reach the processor empty.
func TestNoHalfMessages(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	first, second := w.NewCard(nil), w.NewCard(nil)
	away := errors.New("the store is away")
	for _, cardID := range []int{first.ID, second.ID} {
		service := acts.New(badPANs{w.Store, cardID, away}, w.Vault, w.Settings)
		claimed, err := service.Orders.ClaimOrders(t.Context(), "node", false, 9)
		if !errors.Is(err, away) || len(claimed) > 0 {
			t.Errorf("claimed %+v (%v)", claimed, err)
		}
		waiting, err := service.Orders.OrdersOfCard(t.Context(), 1, cardID)
		if !errors.Is(err, away) || len(waiting) > 0 {
			t.Errorf("found %+v (%v)", waiting, err)
		}
		w.Clock.Advance(time.Minute) // the lease has expired
	}
}
