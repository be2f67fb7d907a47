package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

var reconciliations = []test{
	{"Reports", reconciledReports},
	{"OldReports", reconciledLongAgo},
	{"Cards", reconciledCards},
	{"Accounts", reconciledAccounts},
	{"Orders", reconciledOrders},
}

// aReport returns a report with differences.
func aReport(ofProgram int, kind reconciled.Kind) reconciled.Report {
	return reconciled.Report{
		ProgramID: ofProgram, Kind: kind, At: created, Made: created.Add(time.Hour), Digest: "ab",
		Who:    "Ada Žižek",
		Counts: reconciled.Counts{Compared: 9, Equal: 5, InFlight: 1, Different: 3},
		BySort: map[reconciled.DifferenceKind]int{reconciled.State: 2, reconciled.MissingHere: 1},
		Differences: []reconciled.Difference{
			{Sort: reconciled.State, ID: 7, Here: "open", There: "locked"},
			{Sort: reconciled.Balance, ID: 8, Here: "1.00", Available: "0.50", Holds: "0.50"},
		},
	}
}

func putReport(t *testing.T, s store.Store, r reconciled.Report) reconciled.Report {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		put := r
		err := tx.Reconciliations().Put(&put)
		r.ID = put.ID
		return err
	})
	return r
}

func reconciledReports(t *testing.T, s store.Store) {
	background(t, s)
	first := putReport(t, s, aReport(programID, reconciled.Cards))
	second := aReport(programID, reconciled.Cards)
	second.BySort, second.Differences, second.Counts = nil, nil, reconciled.Counts{}
	second = putReport(t, s, second)
	third := putReport(t, s, aReport(programID, reconciled.Balances))
	other := putReport(t, s, aReport(otherProgram, reconciled.Cards))
	for _, row := range []reconciled.Report{first, second, third} {
		wantFind(t, s, row, func(r store.Tx) (reconciled.Report, error) {
			return r.Reconciliations().Find(row.ID)
		})
	}
	view(t, s, func(r store.Tx) error {
		_, err := r.Reconciliations().Find(other.ID + 1)
		wantError(t, "a report that is not there", err, store.ErrNotFound)
		return nil
	})
	for _, row := range []struct {
		of   reconciled.Query
		want []int
	}{
		{reconciled.Query{Limit: 9}, []int{other.ID, third.ID, second.ID, first.ID}},
		{reconciled.Query{Limit: 2, Before: other.ID}, []int{third.ID, second.ID}},
		{reconciled.Query{Limit: 9, Last: true}, []int{other.ID, third.ID, second.ID}},
		{reconciled.Query{Limit: 9, Kind: reconciled.Balances}, []int{third.ID}},
		{reconciled.Query{Limit: 9, Programs: []int{otherProgram}}, []int{other.ID}},
		{reconciled.Query{Limit: 1, Kind: reconciled.Cards, Before: other.ID,
			Programs: []int{programID, otherProgram}}, []int{second.ID}},
		{reconciled.Query{Limit: 9, Programs: []int{}}, nil},
	} {
		list := find(t, s, func(r store.Tx) ([]reconciled.Report, error) {
			return r.Reconciliations().List(row.of)
		})
		var ids []int
		for _, r := range list {
			ids = append(ids, r.ID)
			if r.ID == third.ID {
				want := third
				want.Differences = nil
				wantSame(t, r, want)
			}
		}
		if !slices.Equal(ids, row.want) {
			t.Errorf("%+v: got %v, want %v", row.of, ids, row.want)
		}
	}
}

// reconciledLongAgo checks that old reports are deleted in batches, oldest first, and that the
// newest of a program and kind stays at any age.
func reconciledLongAgo(t *testing.T, s store.Store) {
	background(t, s)
	young := aReport(programID, reconciled.Cards)
	young.Made = created.Add(3 * time.Hour)
	putReport(t, s, aReport(programID, reconciled.Cards))
	putReport(t, s, aReport(programID, reconciled.Cards))
	alone := putReport(t, s, aReport(programID, reconciled.Balances))
	young = putReport(t, s, young)
	newest := putReport(t, s, young)
	other := putReport(t, s, aReport(otherProgram, reconciled.Cards))
	wantCounts(t, s, []int{1, 1, 0}, func(tx store.Tx) (int, error) {
		return tx.Erasure().DeleteReconciliations(created.Add(2*time.Hour), 1)
	})
	left := find(t, s, func(r store.Tx) ([]reconciled.Report, error) {
		return r.Reconciliations().List(reconciled.Query{Limit: 9})
	})
	var ids []int
	for _, r := range left {
		ids = append(ids, r.ID)
	}
	if want := []int{other.ID, newest.ID, young.ID, alone.ID}; !slices.Equal(ids, want) {
		t.Errorf("got remaining reports %v, want %v", ids, want)
	}
}

// cardsAskedAbout puts cards with all sorts of orders and reports, and returns, by card, those that
// a list made at a time may lack.
func cardsAskedAbout(t *testing.T, s store.Store, at time.Time) map[int][]reconciled.Asked {
	t.Helper()
	ordered := func(name string, kind order.Kind, state order.State, ended time.Time) int {
		c := kept(t, s, plain(name))
		update(t, s, func(tx store.Tx) error {
			o := anOrder(c.ID, 1, kind)
			o.State, o.Ended = state, ended
			return tx.Orders().Put(o)
		})
		return c.ID
	}
	never := time.Time{}
	reported := func(name string, kind order.ReportKind, result order.Result, at time.Time) int {
		c := kept(t, s, plain(name))
		receivedReport := report(name)
		receivedReport.CardID, receivedReport.Kind, receivedReport.Result, receivedReport.Received = c.ID, kind, result, at
		update(t, s, func(tx store.Tx) error { return tx.Reports().Put(receivedReport) })
		return c.ID
	}
	before := at.Add(-time.Millisecond)
	asks := func(kind order.Kind, since time.Time) []reconciled.Asked {
		return []reconciled.Asked{{Kind: kind, Since: since}}
	}
	return map[int][]reconciled.Asked{
		ordered("done", order.Lock, order.Done, before):            nil,
		ordered("done since", order.Unlock, order.Done, at):        asks(order.Unlock, at),
		ordered("failed", order.Hotlist, order.Failed, at.Add(-1)): nil,
		ordered("waiting", order.Make, order.Waiting, never):       asks(order.Make, created),
		ordered("sent", order.Remake, order.Sent, never):           asks(order.Remake, created),
		ordered("held", order.Close, order.Held, never):            nil,

		reported("stolen", order.Compromised, order.Applied, at):     asks(order.Hotlist, at),
		reported("tries", order.PinTriesExceeded, order.Applied, at): asks(order.Lock, at),

		reported("stolen before", order.Compromised, order.Applied, before): nil,
		reported("stolen twice", order.Compromised, order.Ignored, at):      nil,
		reported("shipped", order.Shipped, order.Applied, at):               nil,
	}
}

func reconciledCards(t *testing.T, s store.Store) {
	background(t, s)
	at := created.Add(24 * time.Hour)
	foreign := plain("foreign")
	foreign.ProgramID, foreign.CustomerID, foreign.HolderID = otherProgram, foreignID, foreignID
	foreign.BinID, foreign.Slots = otherBin, card.Slots{}
	kept(t, s, foreign)
	a := cardsAskedAbout(t, s, at)
	locked := plain("locked")
	locked.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
	locked.Status, locked.Verified = card.Verified, created
	locked.LastFour, locked.ExpireMonth = "0042", 12
	last := kept(t, s, locked)
	var cards []reconciled.Card
	for after := 0; ; {
		page := find(t, s, func(r store.Tx) ([]reconciled.Card, error) {
			return r.Reconciliations().ListCards(programID, after, 3, at)
		})
		if len(page) == 0 {
			break
		}
		cards, after = append(cards, page...), page[len(page)-1].ID
	}
	if len(cards) != len(a)+1 {
		t.Fatalf("got cards %+v", cards)
	}
	for i, c := range cards {
		if i > 0 && c.ID <= cards[i-1].ID || !slices.Equal(c.Asked, a[c.ID]) {
			t.Errorf("%+v, want %v", c, a[c.ID])
		}
	}
	wantSame(t, cards[len(cards)-1], reconciled.Card{
		ID: last.ID, Status: card.Verified, Lock: locked.Lock, LastFour: "0042",
		ExpireYear: 2030, ExpireMonth: 12, Created: created,
	})
}

func reconciledAccounts(t *testing.T, s store.Store) {
	background(t, s)
	moved := account(299, customer.Savings)
	moved.Status, moved.Balance, moved.AvailableBalance = customer.Dormant, amount(-7), amount(5)
	opened, posted := created.Add(time.Hour), created.Add(2*time.Hour)
	moved.Held, moved.BalanceModified, moved.Modified = amount(3), created, opened
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(moved) })
	list := func(after, limit int) []reconciled.Account {
		return find(t, s, func(r store.Tx) ([]reconciled.Account, error) {
			return r.Reconciliations().ListAccounts(programID, after, limit)
		})
	}
	wantSame(t, list(209, 9), []reconciled.Account{{ID: 210, Status: customer.Open}, {
		ID: 299, Status: customer.Dormant, Balance: amount(-7), Available: amount(5),
		Held: amount(3), Changed: opened,
	}})
	// A hold or a new name does not change the balance.
	changed := func(change func(a *authorization.Account)) time.Time {
		update(t, s, func(tx store.Tx) error {
			a, err := tx.Balances().Find(299)
			if err != nil {
				return err
			}
			a.Modified = posted
			change(&a)
			return tx.Balances().Change(a)
		})
		return list(210, 1)[0].Changed
	}
	wantSame(t, changed(func(a *authorization.Account) { a.Held = amount(4) }), opened)
	update(t, s, func(tx store.Tx) error {
		all, err := tx.Accounts().FindMany([]int{299})
		a := all[299]
		a.Name, a.Modified = "renamed", posted
		return errors.Join(err, tx.Accounts().Put(a))
	})
	wantSame(t, list(210, 1)[0].Changed, opened)
	wantSame(t, changed(func(a *authorization.Account) { a.Balance = amount(-8) }), posted)
	wantSame(t, list(0, 2), []reconciled.Account{
		{ID: 201, Status: customer.Open}, {ID: 202, Status: customer.Open},
	})
	wantFind(t, s, []reconciled.Account(nil), func(r store.Tx) ([]reconciled.Account, error) {
		return r.Reconciliations().ListAccounts(otherProgram, 0, 9)
	})
}

func reconciledOrders(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("ordered"))
	dropped := created.Add(time.Hour)
	sequence := 0
	file := 0
	put := func(kind order.Kind, state order.State, days int, ended, dropped time.Time) {
		sequence++
		o := anOrder(c.ID, sequence, kind)
		o.File = file
		o.State, o.Created, o.Ended, o.Dropped = state, created.AddDate(0, 0, days), ended, dropped
		update(t, s, func(tx store.Tx) error { return tx.Orders().Put(o) })
	}
	never := time.Time{}
	put(order.Make, order.Done, -1, created, never) // before the span
	put(order.Lock, order.Done, 0, created, never)
	put(order.Lock, order.Done, 0, created.Add(time.Hour), never)
	put(order.Lock, order.Failed, 0, dropped, dropped)
	put(order.Lock, order.Failed, 0, dropped, never)
	put(order.SetPin, order.Sent, 0, never, never)
	put(order.Unlock, order.Held, 0, never, never)
	put(order.Unlock, order.Waiting, 0, never, never)
	put(order.Hotlist, order.Waiting, 1, never, never) // after the span
	file = 7
	put(order.Lock, order.Sent, 0, never, never)
	put(order.Lock, order.Done, 0, created, never) // by the previous version
	of := reconciled.OrderQuery{ProgramID: programID, From: created, To: created.AddDate(0, 0, 1)}
	counts := map[reconciled.OrderCount]int{}
	for _, orderCount := range find(t, s, func(r store.Tx) ([]reconciled.OrderCount, error) {
		return r.Reconciliations().CountOrders(of)
	}) {
		count := orderCount.Count
		orderCount.Count = 0
		counts[orderCount] += count
	}
	wantSame(t, counts, map[reconciled.OrderCount]int{
		{Kind: order.Lock, State: order.Done}:                  3,
		{Kind: order.Lock, State: order.Sent, InFile: true}:    1,
		{Kind: order.Lock, State: order.Failed, Dropped: true}: 1,
		{Kind: order.Lock, State: order.Failed}:                1,
		{Kind: order.SetPin, State: order.Sent}:                1,
		{Kind: order.Unlock, State: order.Held}:                1,
		{Kind: order.Unlock, State: order.Waiting}:             1,
	})
	list := func(failed bool, limit, ofProgram int) []int {
		of := of
		of.Failed, of.Limit, of.ProgramID = failed, limit, ofProgram
		var sequences []int
		for _, o := range find(t, s, func(r store.Tx) ([]order.Order, error) {
			return r.Reconciliations().ListOrders(of)
		}) {
			sequences = append(sequences, o.Sequence)
		}
		return sequences
	}
	wantSame(t, list(false, 9, programID), []int{6, 7, 8, 10})
	wantSame(t, list(false, 1, programID), []int{6})
	wantSame(t, list(true, 9, programID), []int{5})
	wantSame(t, list(false, 9, otherProgram), []int(nil))
}
