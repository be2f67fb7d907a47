package storetest

import (
	"errors"
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
			type both = [2]customer.AccountAccess
			wantSame(t, both{access, with}, both{want, want})
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
