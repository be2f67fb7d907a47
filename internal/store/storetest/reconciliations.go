package storetest

import (
	"slices"
	"testing"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/order"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

var reconciliations = []test{
	{"Reports", reconciledReports},
	{"Cards", reconciledCards},
	{"Accounts", reconciledAccounts},
	{"Orders", reconciledOrders},
}

// aReport is a report with differences.
func aReport(ofProgram int, kind reconciled.Kind) reconciled.Report {
	return reconciled.Report{
		ProgramID: ofProgram, Kind: kind, At: made, Made: made.Add(time.Hour), Digest: "ab",
		Who:    "Ada Žižek",
		Counts: reconciled.Counts{Compared: 9, Equal: 5, InFlight: 1, Different: 3},
		BySort: map[reconciled.Sort]int{reconciled.State: 2, reconciled.MissingHere: 1},
		Differences: []reconciled.Difference{
			{Sort: reconciled.State, ID: 7, Here: "open", There: "locked"},
			{Sort: reconciled.Balance, ID: 8, Here: "1.00", Available: "0.50", Holds: "0.50"},
		},
	}
}

// reconciliationWrites is every write of reconciliations.
func reconciliationWrites() map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Reconciliations.Put": func(tx store.Tx) error {
			r := aReport(programID, reconciled.Cards)
			return tx.Reconciliations().Put(&r)
		},
	}
}

// noteReconciliations notes what reconciliationWrites change.
func noteReconciliations(r store.Tx, note func(name string, one any, err error)) {
	found, err := r.Reconciliations().List(reconciled.Query{Limit: 9})
	note("reconciliations", found, err)
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
	for _, one := range []reconciled.Report{first, second, third} {
		wantSame(t, find(t, s, func(r store.Tx) (reconciled.Report, error) {
			return r.Reconciliations().Find(one.ID)
		}), one)
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
		found := find(t, s, func(r store.Tx) ([]reconciled.Report, error) {
			return r.Reconciliations().List(row.of)
		})
		var ids []int
		for _, one := range found {
			ids = append(ids, one.ID)
			if one.ID == third.ID {
				want := third
				want.Differences = nil
				wantSame(t, one, want)
			}
		}
		if !slices.Equal(ids, row.want) {
			t.Errorf("%+v: %v, want %v", row.of, ids, row.want)
		}
	}
}

func reconciledCards(t *testing.T, s store.Store) {
	background(t, s)
	at := made.Add(24 * time.Hour)
	ordered := func(name string, kind order.Kind, state order.State, ended time.Time) int {
		c := kept(t, s, plain(name))
		update(t, s, func(tx store.Tx) error {
			o := anOrder(c.ID, 1, kind)
			o.State, o.Ended = state, ended
			return tx.Orders().Put(o)
		})
		return c.ID
	}
	foreign := plain("foreign")
	foreign.ProgramID, foreign.CustomerID, foreign.HolderID = otherProgram, foreignID, foreignID
	foreign.BinID, foreign.Slots = otherBin, card.Slots{}
	kept(t, s, foreign)
	never := time.Time{}
	asked := map[int][]order.Kind{
		ordered("done", order.Lock, order.Done, at.Add(-time.Millisecond)): nil,
		ordered("done since", order.Unlock, order.Done, at):                {order.Unlock},
		ordered("failed", order.Hotlist, order.Failed, at.Add(-1)):         nil,
		ordered("waiting", order.Make, order.Waiting, never):               {order.Make},
		ordered("sent", order.Remake, order.Sent, never):                   {order.Remake},
		ordered("held", order.Close, order.Held, never):                    {order.Close},
	}
	locked := plain("locked")
	locked.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
	locked.Status, locked.Verified = card.Verified, made
	locked.LastFour, locked.ExpireMonth = "0042", 12
	last := kept(t, s, locked)
	var found []reconciled.Card
	for after := 0; ; {
		page := find(t, s, func(r store.Tx) ([]reconciled.Card, error) {
			return r.Reconciliations().ListCards(programID, after, 3, at)
		})
		if len(page) == 0 {
			break
		}
		found, after = append(found, page...), page[len(page)-1].ID
	}
	if len(found) != len(asked)+1 {
		t.Fatalf("found are %+v", found)
	}
	for i, one := range found {
		if i > 0 && one.ID <= found[i-1].ID || !slices.Equal(one.Asked, asked[one.ID]) {
			t.Errorf("%+v, want %v", one, asked[one.ID])
		}
	}
	wantSame(t, found[len(found)-1], reconciled.Card{
		ID: last.ID, Status: card.Verified, Lock: locked.Lock, LastFour: "0042",
		ExpireYear: 2030, ExpireMonth: 12, Created: made,
	})
}

func reconciledAccounts(t *testing.T, s store.Store) {
	background(t, s)
	moved := account(299, customer.Savings)
	moved.Status, moved.Balance, moved.AvailableBalance = customer.Dormant, amount(-7), amount(5)
	moved.Held, moved.BalanceModified, moved.Modified = amount(3), made, made.Add(time.Hour)
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(moved) })
	list := func(after, limit int) []reconciled.Account {
		return find(t, s, func(r store.Tx) ([]reconciled.Account, error) {
			return r.Reconciliations().ListAccounts(programID, after, limit)
		})
	}
	wantSame(t, list(209, 9), []reconciled.Account{{ID: 210, Status: customer.Open}, {
		ID: 299, Status: customer.Dormant, Balance: amount(-7), Available: amount(5),
		Held: amount(3), Changed: made, Modified: made.Add(time.Hour),
	}})
	wantSame(t, list(0, 2), []reconciled.Account{
		{ID: 201, Status: customer.Open}, {ID: 202, Status: customer.Open},
	})
	wantSame(t, find(t, s, func(r store.Tx) ([]reconciled.Account, error) {
		return r.Reconciliations().ListAccounts(otherProgram, 0, 9)
	}), []reconciled.Account(nil))
}

func reconciledOrders(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("ordered"))
	dropped := made.Add(time.Hour)
	sequence := 0
	put := func(kind order.Kind, state order.State, days int, ended, dropped time.Time) {
		sequence++
		o := anOrder(c.ID, sequence, kind)
		o.State, o.Created, o.Ended, o.Dropped = state, made.AddDate(0, 0, days), ended, dropped
		update(t, s, func(tx store.Tx) error { return tx.Orders().Put(o) })
	}
	never := time.Time{}
	put(order.Make, order.Done, -1, made, never) // before the span
	put(order.Lock, order.Done, 0, made, never)
	put(order.Lock, order.Done, 0, made.Add(time.Hour), never)
	put(order.Lock, order.Failed, 0, dropped, dropped)
	put(order.Lock, order.Failed, 0, dropped, never)
	put(order.SetPin, order.Sent, 0, never, never)
	put(order.Unlock, order.Held, 0, never, never)
	put(order.Unlock, order.Waiting, 0, never, never)
	put(order.Hotlist, order.Waiting, 1, never, never) // behind it
	of := reconciled.OrderQuery{ProgramID: programID, From: made, To: made.AddDate(0, 0, 1)}
	counts := map[reconciled.OrderCount]int{}
	for _, one := range find(t, s, func(r store.Tx) ([]reconciled.OrderCount, error) {
		return r.Reconciliations().CountOrders(of)
	}) {
		counts[reconciled.OrderCount{Kind: one.Kind, State: one.State, Dropped: one.Dropped}] +=
			one.Count
	}
	wantSame(t, counts, map[reconciled.OrderCount]int{
		{Kind: order.Lock, State: order.Done}:                  2,
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
	wantSame(t, list(false, 9, programID), []int{6, 8})
	wantSame(t, list(false, 1, programID), []int{6})
	wantSame(t, list(true, 9, programID), []int{5})
	wantSame(t, list(false, 9, otherProgram), []int(nil))
}
