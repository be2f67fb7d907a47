package storetest

import (
	"fmt"
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

var sentinels = []test{
	{"NotFound", sentinelNotFound},
	{"OtherProgram", sentinelOtherProgram},
	{"EmptyLists", sentinelEmptyLists},
	{"Exists", sentinelExists},
	{"LostUpdate", sentinelLostUpdate},
}

// lookups returns the errors of every Find for a single record, in the given program and bank.
func lookups(r store.Tx, ofProgram, ofBank, id int) map[string]error {
	errs := make(map[string]error)
	_, errs["Customers.Find"] = r.Customers().Find(ofProgram, id)
	_, errs["Cards.Find"] = r.Cards().Find(ofProgram, id)
	_, _, errs["Accounts.FindFor"] = r.Accounts().FindFor(ofProgram, id, creatorID)
	_, errs["CardNumbers.Find"] = r.CardNumbers().Find(ofProgram, id)
	_, errs["Documents.Find"] = r.Documents().Find(ofBank, id)
	return errs
}

// sentinelNotFound looks up IDs that do not exist.
func sentinelNotFound(t *testing.T, s store.Store) {
	background(t, s)
	view(t, s, func(r store.Tx) error {
		for name, err := range lookups(r, programID, bankID, 404) {
			wantError(t, name, err, store.ErrNotFound)
		}
		_, err := r.Programs().Find(404)
		wantError(t, "Programs.Find", err, store.ErrNotFound)
		_, err = r.Orders().Find(404)
		wantError(t, "Orders.Find", err, store.ErrNotFound)
		_, err = r.CallerAnswers().Find(store.IdempotencyScope{APIKey: keyName})
		wantError(t, "CallerAnswers.Find", err, store.ErrNotFound)
		return nil
	})
	wantUpdate(t, s, "Orders.Change", store.ErrLostUpdate, func(tx store.Tx) error {
		missing := anOrder(1, 1, order.Make)
		missing.ID = 404
		return tx.Orders().Change(missing, &missing)
	})
}

// sentinelOtherProgram looks up existing records from a program or bank that must not see them.
func sentinelOtherProgram(t *testing.T, s store.Store) {
	background(t, s)
	c := tagged("tag")
	c.ID = creatorID // the ID of the customer, so that one lookup fits all
	c = kept(t, s, c)
	a := account(creatorID, "Savings")
	update(t, s,
		func(tx store.Tx) error { return tx.Accounts().Put(a) },
		func(tx store.Tx) error {
			return tx.CardNumbers().Put(store.SealedNumber{CardID: c.ID, BinID: binID})
		},
		func(tx store.Tx) error { return tx.Documents().Put(document(creatorID, "en-US")) },
	)
	view(t, s, func(r store.Tx) error {
		for name, err := range lookups(r, programID, bankID, creatorID) {
			wantError(t, name, err, nil)
		}
		for name, err := range lookups(r, otherProgram, bankID+1, creatorID) {
			wantError(t, name, err, store.ErrNotFound)
		}
		_, err := r.Cards().ListByCustomer(otherProgram, creatorID, store.NoLimit)
		wantError(t, "Cards.ListByCustomer", err, store.ErrNotFound)
		return nil
	})
}

// sentinelEmptyLists checks that an empty list is not an error.
func sentinelEmptyLists(t *testing.T, s store.Store) {
	view(t, s, func(r store.Tx) error {
		for name, err := range map[string]error{
			"Cards.ListUnverified": empty(r.Cards().ListUnverified(programID, created, 9)),
			"Access.List":          empty(r.Access().List(nil)),
			"Cards.ListAttempts":   empty(r.Cards().ListAttempts(1, store.PinTaken, 9)),
			"Banks.ListPciKeys":    empty(r.Banks().ListPciKeys()),
			"BankKeys.List":        empty(r.BankKeys().List()),
			"Documents.List":       empty(r.Documents().List(bankID, "en-US")),
			"Banks.List":           empty(r.Banks().List()),
			"Programs.List":        empty(r.Programs().List()),
			"Keys.List":            empty(r.Keys().List()),
			"Orders.List":          empty(r.Orders().List(store.OrderQuery{Limit: 9})),
			"Orders.Count":         empty(r.Orders().Count(nil)),
			"Audit.List":           empty(r.Audit().List(programID, 1, 9)),
		} {
			wantError(t, name, err, nil)
		}
		return nil
	})
}

// empty returns the error of a list, which should be empty.
func empty[T any](items []T, err error) error {
	if len(items) > 0 {
		return fmt.Errorf("got %v from an empty store", items)
	}
	return err
}

// sentinelExists stores everything that must be unique a second time.
func sentinelExists(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, tagged("taken"))
	second := kept(t, s, plain("second"))

	sameTag := plain("another name")
	sameTag.Tag = "taken"
	sameNick := plain(c.NickName)
	sameID := plain("number by hand")
	sameID.ID = c.ID
	for name, doubled := range map[string]card.Card{
		"tag": sameTag, "nickname": sameNick, "card number": sameID,
	} {
		wantUpdate(t, s, name, store.ErrExists, func(tx store.Tx) error {
			c := doubled
			err := tx.Cards().Put(&c)
			if err != nil {
				wantSame(t, c, doubled) // a card that was not stored is unchanged
			}
			return err
		})
	}
	takeTag, takeNick := second, second
	takeTag.Tag, takeNick.NickName = c.Tag, c.NickName
	for name, doubled := range map[string]card.Card{"tag": takeTag, "nickname": takeNick} {
		wantUpdate(t, s, name+" by a change", store.ErrExists, func(tx store.Tx) error {
			c := doubled
			return change(tx, &c)
		})
	}
	wantSame(t, findCard(t, s, second.ID), second)
}

// sentinelLostUpdate changes a card that has changed since it was read, and one that was never
// stored. The other writes of the transaction must be lost, too.
func sentinelLostUpdate(t *testing.T, s store.Store) {
	background(t, s)
	read := kept(t, s, plain("lost"))
	newer := read
	newer.LastFour = "2222"
	newer = changed(t, s, newer)

	older := newer // at a revision that no card has yet
	older.Revision++
	unknown := plain("unknown")
	unknown.ID, unknown.Revision = 404, 1
	for name, before := range map[string]card.Card{
		"an older one": read, "a newer one": older, "never stored": unknown,
		"never read": {ID: read.ID},
	} {
		for what, alter := range alterations {
			after := before
			alter(&after)
			wantUpdate(t, s, name+", "+what, store.ErrLostUpdate, func(tx store.Tx) error {
				if err := tx.Cards().Change(before, &after); err != nil {
					return err
				}
				return tx.Audit().Put(audit.Entry{
					At: created, ProgramID: programID, Subject: audit.Of(audit.Card, before.ID),
				})
			})
			trail := find(t, s, func(r store.Tx) ([]audit.Entry, error) {
				return r.Audit().List(programID, before.ID, 1)
			})
			if len(trail) != 0 {
				t.Errorf("%s, %s: a write after the lost update was kept: %v", name, what, trail)
			}
		}
	}
	wantSame(t, findCard(t, s, read.ID), newer)
}

// alterations are changes of a card that a store may write in different ways.
var alterations = map[string]func(*card.Card){
	"unaltered":      func(*card.Card) {},
	"locked":         func(c *card.Card) { c.Lock.Type, c.Lock.Reason = card.System, card.Lost },
	"other digits":   func(c *card.Card) { c.LastFour = "3333" },
	"other accounts": func(c *card.Card) { c.Slots = card.Slots{Checking: []int{205}} },
}
