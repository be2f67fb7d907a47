package issuing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// renew runs the job and wants it to have renewed so many cards.
func (w *world) renew(want int) {
	w.t.Helper()
	got, err := w.Cards.RenewCards(w.t.Context())
	if err != nil || got != want {
		w.t.Errorf("%d cards renewed (%v), want %d", got, err, want)
	}
}

// expiresIn brings a Verified card whose last month is June of 2026, at whose beginning the clock
// of a test stands. The program answers in the time of New York.
func (w *world) expiresIn(change func(*card.Card)) card.Card {
	w.t.Helper()
	made := w.newCard(nil)
	before := w.stored(made.ID)
	c := before
	c.Status, c.Verified, c.Reissued = card.Verified, start, time.Time{}
	c.ExpireYear, c.ExpireMonth = 2026, 6
	if change != nil {
		change(&c)
	}
	w.update(func(tx store.Tx) error { return tx.Cards().Change(before, &c) })
	return w.stored(c.ID)
}

// TestRenewCards holds what a renewal does: the same card and number with an expiry that begins
// where the old one ends, an order to make it, and an entry. It is done once.
func TestRenewCards(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	due := w.expiresIn(nil)
	july := w.expiresIn(func(c *card.Card) { c.ExpireMonth = 7 })
	orders := w.orders()
	w.renew(1)
	w.renew(0)

	got, want := w.stored(due.ID), due
	want.ExpireYear, want.Modified, want.Revision = 2030, start, due.Revision+1
	want.Orders = due.Orders + 1
	if !got.Equal(&want) {
		t.Errorf("the renewed card is\n%+v, want\n%+v", got, want)
	}
	if len(*orders) != 1 || (*orders)[0].CardID != due.ID ||
		(*orders)[0].Kind != order.Remake || len((*orders)[0].SealedPin) > 0 {
		t.Errorf("the orders are %+v", *orders)
	}
	rows := w.trail(due.ID)
	last := rows[len(rows)-1]
	if last.Actor != jobOf(issuing.RenewJob) || last.Act != "renew" || last.Outcome != "changed" ||
		last.Before != `{"expireYear":2026}` || last.After != `{"expireYear":2030}` {
		t.Errorf("the entry is %+v", last)
	}

	// 45 days before the end of July, in the time of the program.
	w.clock.Advance(time.Date(2026, 6, 17, 4, 0, 0, 0, time.UTC).Sub(start) - time.Millisecond)
	w.renew(0)
	w.clock.Advance(time.Millisecond)
	w.renew(1)
	if w.stored(july.ID).ExpireYear != 2030 {
		t.Error("the card of July is not the one that was renewed")
	}
}

// TestRenewalsNotMade holds which cards are not renewed, and that those that were in the way for a
// while are renewed afterwards.
func TestRenewalsNotMade(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	locked := func(kind card.LockType, reason card.Reason) func(*card.Card) {
		return func(c *card.Card) { c.Lock = card.Lock{Type: kind, Reason: reason} }
	}
	w.expiresIn(locked(card.Customer, card.Stolen))
	w.expiresIn(func(c *card.Card) { c.Status = card.PendingVerification })
	w.expiresIn(func(c *card.Card) { c.Status, c.Archived = card.Archived, start })
	system := w.expiresIn(locked(card.System, card.Administrative))
	held := w.expiresIn(func(c *card.Card) { c.HolderID = 1002 })
	w.setLocked(1002, true)
	w.renew(0)

	before := w.stored(system.ID)
	cleared := before
	cleared.Lock = card.Lock{Type: card.Unlocked, Reason: card.Unknown}
	w.update(func(tx store.Tx) error { return tx.Cards().Change(before, &cleared) })
	w.renew(1)
	w.setLocked(1002, false)
	w.renew(1)
	if w.stored(held.ID).ExpireYear != 2030 {
		t.Error("the card of a customer who may act again is not renewed")
	}

	temporary := w.expiresIn(locked(card.Customer, card.Temporary))
	w.manually()
	w.renew(0)
	if w.stored(temporary.ID).ExpireYear != 2026 {
		t.Error("a program that renews by hand has a card renewed")
	}
}

func (w *world) setLocked(customerID int, locked bool) {
	w.update(func(tx store.Tx) error {
		found, err := tx.Customers().Find(1, customerID)
		if err != nil {
			return err
		}
		found.IsLocked = locked
		return tx.Customers().Put(found)
	})
}

// manually makes the program renew no card by itself.
func (w *world) manually() {
	w.update(func(tx store.Tx) error {
		found, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		found.Renewal = program.Manual
		return tx.Programs().Put(found)
	})
}

// copies stores so many copies of a card.
func (w *world) copies(of card.Card, count int) {
	w.update(func(tx store.Tx) error {
		for i := range count {
			c := of
			c.ID, c.Revision, c.Tag, c.NickName = 0, 0, "", fmt.Sprintf("Copy %d", i)
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRenewalGoesOnUntilItIsDone holds that more cards than one transaction takes are renewed in
// one run.
func TestRenewalGoesOnUntilItIsDone(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.copies(w.expiresIn(nil), 249)
	w.renew(250)
	w.renew(0)
}

var errBroken = errors.New("broken on purpose")

// brokenCard is a transaction that cannot change one card.
type brokenCard struct {
	store.Tx
	id int
}

func (b brokenCard) Cards() store.Cards { return brokenCards{b.Tx.Cards(), b.id} }

type brokenCards struct {
	store.Cards
	id int
}

func (b brokenCards) Change(before card.Card, after *card.Card) error {
	if before.ID == b.id {
		return errBroken
	}
	return b.Cards.Change(before, after)
}

// TestOneCardHoldsUpNoOther holds that a card that cannot be renewed fails alone: the job fails,
// and the others are renewed.
func TestOneCardHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	first := w.expiresIn(nil)
	w.copies(first, 60)
	orders := w.orders()
	w.through(func(tx store.Tx) store.Tx { return brokenCard{orderBook{tx, orders}, first.ID} })
	got, err := w.Cards.RenewCards(t.Context())
	if !errors.Is(err, errBroken) || got != 49 {
		t.Errorf("%d cards renewed, error %v", got, err)
	}
	if w.stored(first.ID).ExpireYear != 2026 {
		t.Error("the card that failed is renewed")
	}
	got, err = w.Cards.RenewCards(t.Context())
	if !errors.Is(err, errBroken) || got != 11 {
		t.Errorf("then %d cards renewed, error %v", got, err)
	}
}

// TestRenewalBreaksOff ends a run in the middle. What is renewed has its order, and the next run
// does the rest and nothing twice.
func TestRenewalBreaksOff(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.copies(w.expiresIn(nil), 119)
	var orders []order.Order
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.through(func(tx store.Tx) store.Tx {
		if len(orders) >= 50 {
			cancel()
		}
		return orderBook{tx, &orders}
	})
	if _, err := w.Cards.RenewCards(ctx); err == nil {
		t.Fatal("the run was not broken off")
	}
	before := w.renewed()
	if before == 0 || before == 120 {
		t.Fatalf("%d cards are renewed", before)
	}
	w.through(func(tx store.Tx) store.Tx { return tx })
	w.renew(120 - before)
	waiting := 0
	w.view(func(r store.Tx) error {
		all, err := r.Orders().List(store.OrderQuery{Limit: 1000})
		for _, o := range all {
			if o.Kind == order.Remake {
				waiting++
			}
		}
		return err
	})
	if waiting != 120 {
		t.Errorf("%d orders wait for 120 cards", waiting)
	}
}

// renewed counts the cards that expire in June of 2030.
func (w *world) renewed() int {
	var found []int
	w.view(func(r store.Tx) (err error) {
		june := store.Expiring{ProgramID: 1, Year: 2030, Month: 6}
		found, err = r.Due().ListExpiring(june, 1000)
		return err
	})
	return len(found)
}
