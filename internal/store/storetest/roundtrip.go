package storetest

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
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

// roundTripCard finds a card with a value in every field and one with as few as possible, alone and
// in a list.
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

// roundTripBirthDate stores a date of birth as a date, in any time zone.
func roundTripBirthDate(t *testing.T, s store.Store) {
	background(t, s)
	c := person(8, programID)
	c.Birth = time.Date(1985, 3, 14, 0, 0, 0, 0, time.FixedZone("", 9*60*60))
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(c) })
	holder := find(t, s, func(r store.Tx) (customer.Customer, error) {
		return r.Customers().Find(programID, 8)
	})
	if !holder.BornOn(1985, 3, 14) {
		t.Errorf("got birth date %v, want the date of %v", holder.Birth, c.Birth)
	}
}

// roundTripAccess finds an access row alone and with its account.
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

// roundTripKeysRevision counts the changes of all keys, so that nodes notice each change.
func roundTripKeysRevision(t *testing.T, s store.Store) {
	background(t, s)
	revision := func() int64 {
		return find(t, s, func(r store.Tx) (int64, error) { return r.Keys().Revision() })
	}
	for _, k := range []apikey.Key{key("new"), {
		Name: keyName, ProgramID: programID, Version: 2, Revoked: created, Revision: 1,
	}} {
		before := revision()
		update(t, s, func(tx store.Tx) error { return tx.Keys().Put(k) })
		if after := revision(); after <= before {
			t.Errorf("the revision of all keys went from %d to %d, want an increase", before, after)
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

func roundTripAudit(t *testing.T, s store.Store) {
	background(t, s)
	// A row may name things that do not exist, and may be about no card.
	rows := []audit.Entry{
		{
			At: created,
			Actor: audit.Actor{
				Kind: audit.APIKey, Name: longest(50), Address: "2001:db8::1", RequestID: "3d1f",
				Reason: "because \"é\"",
			},
			Act: "POST /card/lock", ProgramID: programID, CustomerID: math.MaxInt32,
			Subject: audit.Of(audit.Card, 404),
			Outcome: "changed", Before: `{"a":1}`, After: `{"a":"é"}`,
		},
		{
			At: created, Actor: audit.Actor{Kind: audit.CommandLine, Name: "alice"}, Act: "load",
			ProgramID: programID, Subject: audit.Subject{Kind: audit.Key, ID: longest(50)},
		},
		{
			At: created, Actor: audit.Actor{Kind: audit.ByToken, ID: math.MaxInt32, Name: "ci"},
			ProgramID: otherProgram,
		},
	}
	for _, row := range rows {
		update(t, s, func(tx store.Tx) error { return tx.Audit().Put(row) })
		wantFind(t, s, []audit.Entry{row}, func(r store.Tx) ([]audit.Entry, error) {
			return r.Audit().List(row.ProgramID, row.Subject.Number(audit.Card), 9)
		})
	}
}

// roundTripNumber checks which PANs were issued, and how many a BIN has.
func roundTripNumber(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("number"))
	digest := digested([]byte{0, 1, 255})
	want := func(taken bool, count int64) {
		t.Helper()
		view(t, s, func(r store.Tx) error {
			has, err := r.CardNumbers().Has(digest)
			counted, err2 := r.CardNumbers().Count(binID)
			if has != taken || counted != count {
				t.Errorf("got taken %t and %d of the BIN, want %t and %d",
					has, counted, taken, count)
			}
			return errors.Join(err, err2)
		})
	}
	want(false, 0)
	update(t, s, func(tx store.Tx) error {
		return tx.CardNumbers().Put(store.SealedNumber{CardID: c.ID, BinID: binID, Digest: digest})
	})
	want(true, 1)
}

// roundTripAttempts puts attempts of two kinds on two cards: only the newest of one kind on one
// card are listed.
func roundTripAttempts(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("attempts"))
	other := kept(t, s, plain("other"))
	var times []time.Time
	for range 3 {
		update(t, s, func(tx store.Tx) error {
			times = append(times, tx.Now())
			return tx.Cards().PutAttempt(c.ID, store.VerifyFailed)
		})
		update(t, s, func(tx store.Tx) error {
			return tx.Cards().PutAttempt(other.ID,
				store.PinTaken)
		})
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // Each has a time that differs.
	}
	slices.Reverse(times)
	for _, want := range []struct {
		kind  store.AttemptKind
		limit int
		times []time.Time
	}{
		{store.VerifyFailed, 4, times}, {store.VerifyFailed, 2, times[:2]},
		{store.PinTaken, 4, nil},
	} {
		full := find(t, s, func(r store.Tx) (store.FullCardView, error) {
			return r.Cards().FindFullView(store.FullCardQuery{
				ProgramID: programID, CustomerID: creatorID, CardID: c.ID,
				Kind: want.kind, Limit: want.limit,
			})
		})
		wantSame(t, full.Attempts, want.times)
	}
}

// roundTripReplays deletes responses a few at a time, oldest first.
func roundTripReplays(t *testing.T, s store.Store) {
	background(t, s)
	const answers = 5
	scope := func(i int) store.IdempotencyScope {
		return store.IdempotencyScope{
			APIKey: keyName, Route: "/card/lock", Key: strconv.Itoa(9 - i),
		}
	}
	for i := range answers {
		update(t, s, func(tx store.Tx) error {
			return tx.CallerAnswers().Put(store.IdempotencyRecord{
				IdempotencyScope: scope(i), HTTP: 200, At: created.Add(time.Duration(i) * time.Hour),
			})
		})
	}
	left := 0
	for _, want := range []int{2, 1, 0} { // the last two are too recent
		wantCounts(t, s, []int{want}, func(tx store.Tx) (int, error) {
			return tx.CallerAnswers().DeleteBefore(created.Add(3*time.Hour), 2)
		})
		left += want
		view(t, s, func(r store.Tx) error {
			for i := range answers {
				_, err := r.CallerAnswers().Find(scope(i))
				if gone := errors.Is(err, store.ErrNotFound); gone != (i < left) {
					t.Errorf("answer %d: got deleted %v (error %v) after %d were deleted",
						i, gone, err, left)
				}
			}
			return nil
		})
	}
}

var anInstallation = store.InstallationRecord{
	Environment: store.Production, Keyset: "one", PinKey: "two", Made: created,
}

func roundTripInstallation(t *testing.T, s store.Store) {
	view(t, s, func(r store.Tx) error {
		_, err := r.Installation().Find()
		wantError(t, "the installation of a new database", err, store.ErrNotFound)
		return nil
	})
	changed := anInstallation
	changed.PinKey = "three"
	for _, put := range []store.InstallationRecord{anInstallation, changed} {
		update(t, s, func(tx store.Tx) error { return tx.Installation().Put(put) })
		wantFind(t, s, put, func(r store.Tx) (store.InstallationRecord, error) {
			return r.Installation().Find()
		})
	}
	refused := anInstallation
	refused.Environment = "neither"
	err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Installation().Put(refused) })
	if err == nil {
		t.Error("an unknown environment was stored")
	}
}
