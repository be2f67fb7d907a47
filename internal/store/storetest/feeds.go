package storetest

import (
	"context"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

var feeds = []test{
	{"Feeds", feedRows},
	{"Totals", feedTotals},
	{"Uses", feedUses},
}

func feedRows(t *testing.T, s store.Store) {
	background(t, s)
	first := store.Feed{
		ProgramID: programID, Source: "core", Sequence: 3, Running: 4, Digest: "ab", Line: 70,
		Report: []byte(`{}`), Changed: made,
	}
	other := store.Feed{ProgramID: programID, Source: "cards", Report: []byte{}, Changed: made}
	foreign := first
	foreign.ProgramID = otherProgram
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{
			tx.Feeds().Put(first), tx.Feeds().Put(other), tx.Feeds().Put(foreign),
		})
	})
	first.Revision, other.Revision = 1, 1
	found := func(source string) store.Feed {
		return find(t, s, func(r store.Tx) (store.Feed, error) {
			return r.Feeds().Find(programID, source)
		})
	}
	wantSame(t, found("core"), first)
	put := func(f store.Feed) error {
		return s.Update(context.Background(), func(tx store.Tx) error { return tx.Feeds().Put(f) })
	}
	fresh := first
	fresh.Revision = 0
	wantError(t, "one that is there", put(fresh), store.ErrExists)
	second := first
	second.Sequence, second.Running, second.Line, second.Digest = 4, 0, 0, "cd"
	second.Report, second.Changed = []byte(`{"a":1}`), made.AddDate(0, 0, 1)
	wantError(t, "the next revision", put(second), nil)
	second.Revision = 2
	wantSame(t, found("core"), second)
	wantError(t, "an older revision", put(first), store.ErrLostUpdate)
	wantSame(t, find(t, s, func(r store.Tx) ([]store.Feed, error) {
		return r.Feeds().List(programID)
	}), []store.Feed{other, second})
	view(t, s, func(r store.Tx) error {
		_, err := r.Feeds().Find(programID, "Core")
		wantError(t, "a source that is not there", err, store.ErrNotFound)
		return nil
	})
}

func feedTotals(t *testing.T, s store.Store) {
	background(t, s)
	count := func(programID int) customer.AccountTotals {
		return find(t, s, func(r store.Tx) (customer.AccountTotals, error) {
			return r.Feeds().Count(programID)
		})
	}
	wantSame(t, count(otherProgram), customer.AccountTotals{})
	before := count(programID)
	update(t, s, func(tx store.Tx) error {
		open, closed := account(291, customer.Checking), account(292, customer.Savings)
		open.Balance.TenThousandths, closed.Balance.TenThousandths = -70001, 5
		closed.Status = customer.Closed
		return firstOf([]error{tx.Accounts().Put(open), tx.Accounts().Put(closed)})
	})
	before.Accounts++
	before.Balance -= 70001
	wantSame(t, count(programID), before)
}

func feedUses(t *testing.T, s store.Store) {
	background(t, s)
	uses := func(customerID int) customer.Uses {
		return find(t, s, func(r store.Tx) (customer.Uses, error) {
			return r.Feeds().CountUses(customerID)
		})
	}
	cards := func(accountID int) int {
		return find(t, s, func(r store.Tx) (int, error) { return r.Feeds().CountCards(accountID) })
	}
	before := uses(creatorID)
	wantSame(t, []int{before.Cards, cards(201)}, []int{0, 0})
	one := kept(t, s, plain("first"))
	wantSame(t, []int{uses(creatorID).Cards, uses(holderID).Cards, cards(201)}, []int{1, 1, 1})
	wantSame(t, uses(creatorID).Accounts, before.Accounts)
	one.Status, one.Archived = card.Archived, made
	changed(t, s, one)
	wantSame(t, []int{uses(creatorID).Cards, uses(holderID).Cards, cards(201)}, []int{0, 0, 0})
}
