package cards_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// renew runs the job and checks how many cards it renewed.
func renew(w *issuingtest.World, want int) {
	w.TB.Helper()
	got, err := w.Cards.RenewCards(w.TB.Context())
	if err != nil || got != want {
		w.TB.Errorf("%d cards renewed (%v), want %d", got, err, want)
	}
}

// expiresIn stores a Verified card whose last month is June 2026; the clock of a test starts at the
// beginning of that month. The program uses the time zone of New York.
func expiresIn(w *issuingtest.World, change func(*card.Card)) card.Card {
	w.TB.Helper()
	created := w.NewCard(nil)
	before := w.Stored(created.ID)
	c := before
	c.Status, c.Verified, c.Reissued = card.Verified, issuingtest.Start, time.Time{}
	c.ExpireYear, c.ExpireMonth = 2026, 6
	if change != nil {
		change(&c)
	}
	w.Update(func(tx store.Tx) error { return tx.Cards().Change(before, &c) })
	return w.Stored(c.ID)
}

// TestRenewCards checks a renewal: the same card and number with an expiry that begins where the
// old one ends, an order to produce it, and an entry. It happens once.
func TestRenewCards(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	due := expiresIn(w, nil)
	july := expiresIn(w, func(c *card.Card) { c.ExpireMonth = 7 })
	orders := w.BookOrders()
	renew(w, 1)
	renew(w, 0)

	got, want := w.Stored(due.ID), due
	want.ExpireYear, want.Modified, want.Revision = 2030, issuingtest.Start, due.Revision+1
	want.Orders = due.Orders + 1
	if !got.Equal(&want) {
		t.Errorf("the renewed card is\n%+v, want\n%+v", got, want)
	}
	if len(*orders) != 1 || (*orders)[0].CardID != due.ID ||
		(*orders)[0].Kind != order.Remake || len((*orders)[0].SealedPin) > 0 {
		t.Errorf("the orders are %+v", *orders)
	}
	rows := w.Trail(due.ID)
	last := rows[len(rows)-1]
	if last.Actor != issuingtest.JobOf(issuing.RenewJob) || last.Act != "renew" || last.Outcome != "changed" ||
		last.Before != `{"expireYear":2026}` || last.After != `{"expireYear":2030}` {
		t.Errorf("the entry is %+v", last)
	}

	// 45 days before the end of July, in the program's time zone.
	w.Clock.Advance(time.Date(2026, 6, 17, 4, 0, 0, 0, time.UTC).Sub(issuingtest.Start) - time.Millisecond)
	renew(w, 0)
	w.Clock.Advance(time.Millisecond)
	renew(w, 1)
	if w.Stored(july.ID).ExpireYear != 2030 {
		t.Error("the card of July is not the one that was renewed")
	}
}

// TestRenewalsNotMade checks which cards are not renewed, and that those with a temporary obstacle
// are renewed afterwards.
func TestRenewalsNotMade(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	locked := func(kind card.LockType, reason card.Reason) func(*card.Card) {
		return func(c *card.Card) { c.Lock = card.Lock{Type: kind, Reason: reason} }
	}
	expiresIn(w, locked(card.Customer, card.Stolen))
	expiresIn(w, func(c *card.Card) { c.Status = card.PendingVerification })
	expiresIn(w, func(c *card.Card) { c.Status, c.Archived = card.Archived, issuingtest.Start })
	system := expiresIn(w, locked(card.System, card.Administrative))
	held := expiresIn(w, func(c *card.Card) { c.HolderID = 1002 })
	setLocked(w, 1002, true)
	renew(w, 0)

	before := w.Stored(system.ID)
	cleared := before
	cleared.Lock = card.Lock{Type: card.Unlocked, Reason: card.Unknown}
	w.Update(func(tx store.Tx) error { return tx.Cards().Change(before, &cleared) })
	renew(w, 1)
	setLocked(w, 1002, false)
	renew(w, 1)
	if w.Stored(held.ID).ExpireYear != 2030 {
		t.Error("the card of a customer who may act again is not renewed")
	}

	temporary := expiresIn(w, locked(card.Customer, card.Temporary))
	disableRenewal(w)
	renew(w, 0)
	if w.Stored(temporary.ID).ExpireYear != 2026 {
		t.Error("a program that renews by hand has a card renewed")
	}
}

func setLocked(w *issuingtest.World, customerID int, locked bool) {
	changeCustomer(w, customerID, func(c *customer.Customer) { c.IsLocked = locked })
}

func changeCustomer(w *issuingtest.World, id int, change func(*customer.Customer)) {
	w.Update(func(tx store.Tx) error {
		c, err := tx.Customers().Find(1, id)
		if err != nil {
			return err
		}
		change(&c)
		return tx.Customers().Put(c)
	})
}

// disableRenewal turns off automatic renewal in the program.
func disableRenewal(w *issuingtest.World) {
	w.Update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		p.Renewal = program.Manual
		return tx.Programs().Put(p)
	})
}

// copies stores count copies of a card.
func copies(w *issuingtest.World, of card.Card, count int) {
	w.Update(func(tx store.Tx) error {
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

// TestRenewalGoesOnUntilItIsDone checks that one run renews more cards than fit in a transaction.
func TestRenewalGoesOnUntilItIsDone(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	copies(w, expiresIn(w, nil), 249)
	renew(w, 250)
	renew(w, 0)
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

// TestOneCardHoldsUpNoOther checks that a card that cannot be renewed does not hold up the others:
// the job fails, but they are renewed.
func TestOneCardHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	first := expiresIn(w, nil)
	copies(w, first, 60)
	orders := w.BookOrders()
	w.Through(func(tx store.Tx) store.Tx { return brokenCard{issuingtest.OrderBook{Tx: tx, Put: orders}, first.ID} })
	got, err := w.Cards.RenewCards(t.Context())
	if !errors.Is(err, errBroken) || got != 60 {
		t.Errorf("%d cards renewed, error %v", got, err)
	}
	if w.Stored(first.ID).ExpireYear != 2026 {
		t.Error("the card that failed is renewed")
	}
}

// TestRenewalBreaksOff ends a run in the middle. Each renewed card has its order, and the next run
// renews the rest and repeats nothing.
func TestRenewalBreaksOff(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	copies(w, expiresIn(w, nil), 119)
	var orders []order.Order
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.Through(func(tx store.Tx) store.Tx {
		if len(orders) >= 50 {
			cancel()
		}
		return issuingtest.OrderBook{Tx: tx, Put: &orders}
	})
	if _, err := w.Cards.RenewCards(ctx); err == nil {
		t.Fatal("the run was not broken off")
	}
	before := renewed(w)
	if before == 0 || before == 120 {
		t.Fatalf("%d cards are renewed", before)
	}
	w.Through(func(tx store.Tx) store.Tx { return tx })
	renew(w, 120-before)
	waiting := 0
	w.View(func(r store.Tx) error {
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
func renewed(w *issuingtest.World) int {
	var ids []int
	w.View(func(r store.Tx) (err error) {
		june := store.Expiring{ProgramID: 1, Year: 2030, Month: 6}
		ids, err = r.Due().ListExpiring(june, 1000)
		return err
	})
	return len(ids)
}
