package issuing_test

import (
	"context"
	"errors"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// demandTwo makes program 1 require a second operator.
func demandTwo(w *issuingtest.World) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		p.FourEyes = true
		return tx.Programs().Put(p)
	})
}

// actBeforeUpdate is a store that does something before its next Update, and cannot be read after
// it.
type actBeforeUpdate struct {
	store.Store
	update func()
	broken bool // every later View fails
}

func (b *actBeforeUpdate) Update(ctx context.Context, fn func(store.Tx) error) error {
	b.update()
	err := b.Store.Update(ctx, fn)
	b.broken = err == nil
	return err
}

func (b *actBeforeUpdate) View(ctx context.Context, fn func(store.Tx) error) error {
	if b.broken {
		return store.ErrUnavailable
	}
	return b.Store.View(ctx, fn)
}

// TestGuardIsOfTheTransaction has the system lock a card between the request to clear a customer's
// lock and its transaction: one operator alone cannot clear a lock of the system.
func TestGuardIsOfTheTransaction(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	demandTwo(w)
	c := w.NewCard(nil)
	c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	c = w.InStatus(c, card.Verified)
	systemLock := func() {
		if _, err := w.Cards.LockCard(t.Context(), issuingtest.Clerk, c.ID, 0, "ADM"); err != nil {
			t.Error(err)
		}
	}
	raced := acts.New(&actBeforeUpdate{Store: w.Store, update: systemLock}, w.Vault, w.Settings)
	_, err := raced.Cards.UnlockCard(t.Context(), issuingtest.Clerk, c.ID, 0)
	if got := w.Stored(c.ID).Lock.Type; !errors.Is(err, issuing.ErrNeedsApproval) ||
		got != card.System {
		t.Errorf("%v, the lock is %s", err, got)
	}
	controls := issuingtest.Clerk
	controls.Unguarded = true
	if _, err := w.Cards.UnlockCard(t.Context(), controls, c.ID, 0); err != nil {
		t.Errorf("the controls of a sandbox: %v", err)
	}
}

// TestReplacedSystemLockNeedsTwo replaces a lock by a permanent one, after which the same operator
// could have the card replaced by an unlocked one. Replacing a temporary lock of the system needs a
// second operator; replacing any other does not.
func TestReplacedSystemLockNeedsTwo(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	demandTwo(w)
	for _, test := range []struct {
		lock   card.Lock
		reason string
		want   error
	}{
		{card.Lock{Type: card.System, Reason: card.Administrative}, "LST", issuing.ErrNeedsApproval},
		{card.Lock{Type: card.System, Reason: card.PinRetries}, "FRD", issuing.ErrNeedsApproval},
		{card.Lock{Type: card.System, Reason: card.PinRetries}, "ADM", nil},
		{card.Lock{Type: card.Customer, Reason: card.Temporary}, "STL", nil},
		{card.Lock{Type: card.Unlocked, Reason: card.Unknown}, "LST", nil},
	} {
		c := w.NewCard(nil)
		c.Lock = test.lock
		c = w.InStatus(c, card.Verified)
		_, err := w.Cards.LockCard(t.Context(), issuingtest.Clerk, c.ID, 0, test.reason)
		after := w.Stored(c.ID).Lock
		if !errors.Is(err, test.want) || (after == test.lock) != (test.want != nil) {
			t.Errorf("%v for %s: %v, the lock is %v", test.lock, test.reason, err, after)
		}
	}
}

// TestCardIsOfTheTransaction breaks every read after the transaction of an act, which must be
// answered nevertheless.
func TestCardIsOfTheTransaction(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	for name, want := range map[string]func(c card.Card, s cards.CardSheet) bool{
		"lock": func(_ card.Card, s cards.CardSheet) bool {
			return s.Lock.Type == card.System
		},
		"unlock": func(_ card.Card, s cards.CardSheet) bool {
			return s.Lock.Type == card.Unlocked
		},
		"archive": func(_ card.Card, s cards.CardSheet) bool {
			return s.Status == card.Archived
		},
		"reissue": func(c card.Card, s cards.CardSheet) bool {
			return s.ID > c.ID && s.NickName == c.NickName && len(s.Orders) == 1
		},
	} {
		c := w.NewCard(nil)
		c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
		c = w.InStatus(c, card.Verified)
		healthy := w.Service
		w.Service = acts.New(&actBeforeUpdate{Store: w.Store, update: func() {}}, w.Vault, w.Settings)
		sheet, err := w.CardActs()[name](issuingtest.Clerk, c.ID, 0)
		if err != nil || !want(c, sheet) {
			t.Errorf("%s: %v, %+v", name, err, sheet.Card)
		}
		w.Service = healthy
	}
}

// TestMadeAnewOnce checks that an operator cannot reissue a card twice in a row: the second would
// be a second card in the mail.
func TestMadeAnewOnce(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.InStatus(w.NewCard(nil), card.Verified)
	remakes := func() (orders []order.Order) {
		w.View(func(r store.Tx) error {
			all, err := r.Orders().List(store.OrderQuery{CardID: c.ID, Limit: 9})
			for _, o := range all {
				if o.Kind == order.Remake {
					orders = append(orders, o)
				}
			}
			return err
		})
		return orders
	}
	reissue := func() error {
		_, err := w.Cards.ReissueCard(t.Context(), issuingtest.Clerk, c.ID, 0, "DMG")
		return err
	}
	if err := reissue(); err != nil {
		t.Fatal(err)
	}
	refused := (*issuing.RefusedError)(nil)
	if err := reissue(); !errors.As(err, &refused) || len(remakes()) != 1 {
		t.Errorf("the second time: %v, %d orders", err, len(remakes()))
	}
	for i, state := range []order.State{order.Done, order.Failed} {
		o := remakes()[0]
		after := o
		after.State = state
		w.Update(func(tx store.Tx) error { return tx.Orders().Change(o, &after) })
		if err := reissue(); err != nil || len(remakes()) != i+2 {
			t.Errorf("behind an order %s: %v, %d orders", state, err, len(remakes()))
		}
	}
}
