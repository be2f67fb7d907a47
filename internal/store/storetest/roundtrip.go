package storetest

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

var roundTrips = []test{
	{"Card", roundTripCard},
	{"ChangedCard", roundTripChangedCard},
	{"Slots", roundTripSlots},
	{"CardNumbering", roundTripCardNumbering},
	{"BirthDate", roundTripBirthDate},
	{"Access", roundTripAccess},
	{"KeysRevision", roundTripKeysRevision},
	{"Owners", roundTripOwners},
	{"Audit", roundTripAudit},
	{"Number", roundTripNumber},
	{"Attempts", roundTripAttempts},
	{"Replays", roundTripReplays},
	{"Installation", roundTripInstallation},
}

// roundTripCard finds a card with everything and one with as little as possible, alone and in a
// list.
func roundTripCard(t *testing.T, s store.Store) {
	background(t, s)
	for _, c := range []card.Card{longestCard(), plain("")} {
		put := kept(t, s, c)
		if put.ID == 0 || put.Revision != 1 {
			t.Errorf("got number %d and revision %d, want a number and 1", put.ID, put.Revision)
		}
		c.ID, c.Revision = put.ID, 1
		wantSame(t, findCard(t, s, put.ID), c)
		listed := listCards(t, s, holderID)
		wantSame(t, listed[len(listed)-1], c)
	}
}

// roundTripChangedCard changes every field of a card at once, there and back.
func roundTripChangedCard(t *testing.T, s store.Store) {
	background(t, s)
	put := kept(t, s, plain("short"))
	for _, c := range []card.Card{longestCard(), plain("short")} {
		c.ID, c.Revision = put.ID, put.Revision
		put = changed(t, s, c)
		if want := c.Revision + 1; put.Revision != want {
			t.Errorf("got revision %d, want %d", put.Revision, want)
		}
		wantSame(t, findCard(t, s, put.ID), put)
	}
}

// roundTripSlots moves, adds and removes accounts, and takes all of them away.
func roundTripSlots(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("slots"))
	for _, slots := range []card.Slots{
		{Checking: []int{202, 201}},
		{Checking: []int{201, 202}},
		{Checking: []int{204, 203, 202, 201}, Savings: []int{206, 208, 207, 209}},
		{Savings: []int{209}},
		{},
	} {
		c.Slots = slots
		c = changed(t, s, c)
		wantSame(t, findCard(t, s, c.ID).Slots, slots)
		accounts := find(t, s, func(r store.Tx) (map[int]customer.Account, error) {
			found, err := r.Cards().ListByCustomer(programID, creatorID, store.NoLimit)
			return found.Accounts, err
		})
		want := make(map[int]customer.Account)
		for category, ids := range map[customer.AccountType][]int{
			customer.Checking: slots.Checking, customer.Savings: slots.Savings,
		} {
			for _, id := range ids {
				want[id] = storedAccount(id, category)
			}
		}
		wantSame(t, accounts, want)
	}
	// Nine accounts on two cards, and one of them on both.
	one, two := plain("one"), plain("two")
	one.Slots = card.Slots{Checking: []int{201, 202, 203, 204}, Savings: []int{206}}
	two.Slots = card.Slots{Checking: []int{205, 201}, Savings: []int{207, 208, 209}}
	kept(t, s, one)
	kept(t, s, two)
	view(t, s, func(r store.Tx) error {
		found, err := r.Cards().ListByCustomer(programID, creatorID, store.NoLimit)
		if len(found.Accounts) != 9 {
			t.Errorf("got %d accounts, want 9", len(found.Accounts))
		}
		return err
	})
}

// roundTripCardNumbering checks which numbers cards get.
func roundTripCardNumbering(t *testing.T, s store.Store) {
	background(t, s)
	byHand := plain("by hand")
	byHand.ID = 5001
	if put := kept(t, s, byHand); put.ID != 5001 || put.Revision != 1 {
		t.Errorf("got card %d at revision %d, want 5001 at 1", put.ID, put.Revision)
	}
	for _, want := range []int{10001, 10002} {
		if put := kept(t, s, plain(strconv.Itoa(want))); put.ID != want {
			t.Errorf("got card %d, want %d", put.ID, want)
		}
	}
}

// roundTripBirthDate keeps a date of birth as a date, wherever it was written down.
func roundTripBirthDate(t *testing.T, s store.Store) {
	background(t, s)
	c := person(8, programID)
	c.Birth = time.Date(1985, 3, 14, 0, 0, 0, 0, time.FixedZone("", 9*60*60))
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(c) })
	found := find(t, s, func(r store.Tx) (customer.Customer, error) {
		return r.Customers().Find(programID, 8)
	})
	if !found.BornOn(1985, 3, 14) {
		t.Errorf("got the birth date %v, want the date of %v", found.Birth, c.Birth)
	}
}

// roundTripAccess finds an access by itself and with its account.
func roundTripAccess(t *testing.T, s store.Store) {
	background(t, s)
	want := func(want customer.AccountAccess) {
		t.Helper()
		view(t, s, func(r store.Tx) error {
			access, err := r.Access().Find(holderID, 201)
			a, with, err2 := r.Accounts().FindFor(programID, 201, holderID)
			wantSame(t, []customer.AccountAccess{access, with}, []customer.AccountAccess{want, want})
			wantSame(t, a, storedAccount(201, customer.Checking))
			return errors.Join(err, err2)
		})
	}
	want(customer.NoAccess)
	for _, access := range []customer.AccountAccess{
		customer.ReadOnly, customer.FullAccess, customer.NoAccess,
	} {
		update(t, s, func(tx store.Tx) error { return putAccess(tx, holderID, 201, access) })
		want(access)
	}
}

// roundTripKeysRevision counts the changes of all keys, so that nodes notice each.
func roundTripKeysRevision(t *testing.T, s store.Store) {
	background(t, s)
	revision := func() int64 {
		return find(t, s, func(r store.Tx) (int64, error) { return r.Keys().Revision() })
	}
	for _, k := range []apikey.Key{key("new"), {
		Name: keyName, ProgramID: programID, Version: 2, Revoked: made, Revision: 1,
	}} {
		before := revision()
		update(t, s, func(tx store.Tx) error { return tx.Keys().Put(k) })
		if after := revision(); after <= before {
			t.Errorf("the revision of all keys went from %d to %d", before, after)
		}
	}
}

// roundTripOwners finds the bank of a document, and pages through the documents of a bank.
func roundTripOwners(t *testing.T, s store.Store) {
	background(t, s)
	document := bankdoc.Document{ID: 31, BankID: 900, Culture: "en-US", Type: "EftInfo"}
	update(t, s,
		func(tx store.Tx) error { return tx.Banks().Put(store.Bank{ID: 900}) },
		func(tx store.Tx) error { return tx.Documents().Put(document) },
	)
	document.Revision = 1
	wantFind(t, s, 900, func(r store.Tx) (int, error) { return r.Documents().FindBank(31) })
	wantNone(t, s, "the bank of no document", func(r store.Tx) (int, error) {
		return r.Documents().FindBank(32)
	})
	for after, want := range map[int][]bankdoc.Document{30: {document}, 31: nil} {
		wantFind(t, s, want, func(r store.Tx) ([]bankdoc.Document, error) {
			return r.Documents().ListOfBank(900, after, 9)
		})
	}
}
