package storetest

import (
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

var feeds = []test{
	{"Totals", feedTotals},
	{"Uses", feedUses},
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
	open, closed := account(291, customer.Checking), account(292, customer.Savings)
	open.Balance.TenThousandths, closed.Balance.TenThousandths = -70001, 5
	closed.Status = customer.Closed
	update(t, s,
		func(tx store.Tx) error { return tx.Accounts().Put(open) },
		func(tx store.Tx) error { return tx.Accounts().Put(closed) },
	)
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
	c := kept(t, s, plain("first"))
	wantSame(t, []int{uses(creatorID).Cards, uses(holderID).Cards, cards(201)}, []int{1, 1, 1})
	wantSame(t, uses(creatorID).Accounts, before.Accounts)
	c.Status, c.Archived = card.Archived, created
	changed(t, s, c)
	wantSame(t, []int{uses(creatorID).Cards, uses(holderID).Cards, cards(201)}, []int{0, 0, 0})
}
