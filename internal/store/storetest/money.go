package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

var moneyTests = []test{
	{"Views", moneyViews},
	{"Holds", moneyHolds},
	{"DueHolds", moneyDueHolds},
	{"ChangedHolds", moneyChangedHolds},
	{"Advised", moneyAdvised},
	{"Marks", moneyMarks},
	{"Balances", moneyBalances},
	{"Lists", moneyLists},
	{"Usages", moneyUsages},
	{"Shares", moneyShares},
	{"ManyOnOneAccount", moneyManyOnOneAccount},
}

func amount(tenThousandths int64) value.Amount {
	return value.Amount{TenThousandths: tenThousandths}
}

// asked returns an approved purchase.
func asked(id string, cardID int) authorization.Authorization {
	return authorization.Authorization{
		ID: id, Digest: []byte{0, 1, 255},
		Transfer: authorization.Transfer{
			Kind: authorization.Purchase, Category: customer.Checking, Amount: amount(12_5000),
		},
		Decision: authorization.Decision{
			Reason: authorization.Approved, AccountID: 201, Amount: amount(12_5000),
		},
		ProgramID: programID, CardID: cardID, Currency: "USD", At: created,
		Decided: created.Add(time.Second),
	}
}

// hold returns a hold for a purchase.
func hold(id string, cardID int) authorization.Hold {
	h := asked("of "+id, cardID).Hold(creatorID, 20260203)
	h.ID = authorization.HoldPrefix(cardID) + id
	return h
}

func posting(id string, cardID int) authorization.Posting {
	return authorization.Posting{
		ID: id, Digest: []byte{7}, HoldID: "standing", ProgramID: programID,
		CustomerID: creatorID, CardID: cardID, AccountID: 201, Kind: authorization.Withdrawal,
		Amount: amount(1), Posted: created,
	}
}

func usage(customerID int) authorization.Usage {
	return authorization.Usage{
		ProgramID: programID, CustomerID: customerID, Direction: authorization.Withdraws,
		Day: 20260203, OfDay: amount(5), OfMonth: amount(50),
	}
}

func share(lane int) authorization.Share {
	return authorization.Share{
		ProgramID: programID, Direction: authorization.Withdraws, Lane: lane, Day: 20260203,
		Rest: amount(3),
	}
}

// moneyViews finds a card by its ID and by its PAN, with everything a decision reads.
func moneyViews(t *testing.T, s store.Store) {
	background(t, s)
	c := plain("spent")
	c.Slots = card.Slots{Checking: []int{203, 201}, Savings: []int{206}}
	c = kept(t, s, c)
	bare := plain("without accounts")
	bare.Slots = card.Slots{}
	bare = kept(t, s, bare)
	digest := []byte{0, 200, 1}
	other := usage(holderID)
	other.OfDay = amount(1)
	deposits := usage(creatorID)
	deposits.Direction, deposits.OfDay = authorization.Deposits, amount(99)
	update(t, s,
		func(tx store.Tx) error {
			return tx.CardNumbers().Put(
				store.SealedNumber{CardID: c.ID, BinID: binID, Digest: digested(digest)})
		},
		func(tx store.Tx) error { return tx.Usages().Put(usage(creatorID)) },
		func(tx store.Tx) error { return tx.Usages().Put(usage(0)) },
		func(tx store.Tx) error { return tx.Usages().Put(other) },
		func(tx store.Tx) error { return tx.Usages().Put(deposits) },
	)
	of := func(name store.CardRef, d authorization.Direction) authorization.View {
		return find(t, s, func(r store.Tx) (authorization.View, error) {
			return r.Authorizations().FindView(name, d)
		})
	}
	got := of(store.CardRef{ID: c.ID}, authorization.Withdraws)
	wantSame(t, got.Card, authorization.Card{
		ID: c.ID, ProgramID: programID, CreatorID: creatorID, HolderID: holderID,
		Status: c.Status, Lock: c.Lock, ExpireMonth: c.ExpireMonth, ExpireYear: c.ExpireYear,
		Slots: c.Slots, PrimaryCategory: customer.Checking,
	})
	wantSame(t, got.Creator, storedPerson(creatorID, programID).Standing)
	wantSame(t, got.Holder, storedPerson(holderID, programID).Standing)
	wantSame(t, len(got.Accounts), 3)
	wantSame(t, got.Accounts[203], balancesOf(storedAccount(203, customer.Checking)))
	wantSame(t, got.ProgramRevision, 1)
	user, all := usage(creatorID), usage(0)
	user.Revision, all.Revision = 1, 1
	wantSame(t, []authorization.Usage{got.User, got.Program.Total}, []authorization.Usage{user, all})

	wantSame(t, of(store.CardRef{Digest: digested(digest)}, authorization.Withdraws), got)
	wantSame(t, of(store.CardRef{ID: c.ID}, authorization.Deposits).User.OfDay, amount(99))
	wantSame(t, of(store.CardRef{ID: c.ID}, authorization.Deposits).Program.Total,
		authorization.Usage{ProgramID: programID, Direction: authorization.Deposits})
	wantSame(t, of(store.CardRef{ID: bare.ID}, authorization.Withdraws).Card.ID, bare.ID)
	for _, name := range []store.CardRef{{ID: 404}, {Digest: digested([]byte{9})}} {
		wantSame(t, of(name, authorization.Withdraws), authorization.View{})
	}
}

// moneyLists lists authorizations, newest first, by each filter and from each position.
func moneyLists(t *testing.T, s store.Store) {
	background(t, s)
	spender, held := plain("created"), plain("held")
	spender.HolderID = creatorID
	spender, held = kept(t, s, spender), kept(t, s, held)
	all := []authorization.Authorization{
		asked("a", spender.ID), asked("b", spender.ID), asked("c", held.ID), asked("d", 4999), asked("e", 0),
	}
	for i := range all[1:] { // a and b have the same time
		all[i+1].Decided = created.Add(time.Duration(i+1) * time.Second)
	}
	all[1].Reason, all[1].AccountID, all[1].Decision.Amount = authorization.OverLimit, 0, amount(0)
	all[1].Merchant = &authorization.Merchant{Name: "Corner FUEL", Country: "US", MCC: "5542"}
	all[2].Advice = authorization.Advice{By: authorization.Network, WouldHave: authorization.Approved}
	all[3].ProgramID, all[3].Reason, all[3].AccountID = 0, authorization.UnknownCard, 0
	all[3].Decision.Amount = amount(0)
	all[4] = authorization.Authorization{
		ID: "mark", Decided: created, Decision: authorization.Decision{Reason: authorization.Reversed},
		Book: authorization.Book{Reversed: authorization.Everything},
	}
	for _, a := range all {
		update(t, s, func(tx store.Tx) error { return tx.Authorizations().Put(a) })
	}
	list := func(of store.AuthorizationQuery) string {
		of.Limit = 2
		var ids []string
		for { // each page begins after the previous one
			authorizations := find(t, s, func(r store.Tx) ([]authorization.Authorization, error) {
				a, next, err := r.Authorizations().List(of)
				wantSame(t, next, authorization.ListKey{})
				return a, err
			})
			for _, a := range authorizations {
				ids = append(ids, a.ID)
				of.Before = a.ListKey()
			}
			if len(authorizations) < of.Limit {
				return strings.Join(ids, " ")
			}
		}
	}
	here := []int{programID}
	for _, row := range []struct {
		of   store.AuthorizationQuery
		want string
	}{
		{store.AuthorizationQuery{}, "d c b a"},
		{store.AuthorizationQuery{Programs: here}, "c b a"},
		{store.AuthorizationQuery{Programs: []int{}}, ""},
		{store.AuthorizationQuery{CardID: spender.ID}, "b a"},
		{store.AuthorizationQuery{CardID: spender.ID, Programs: []int{404}}, ""},
		{store.AuthorizationQuery{CustomerID: creatorID}, "c b a"},
		{store.AuthorizationQuery{CustomerID: holderID}, "c"},
		{store.AuthorizationQuery{Outcome: "declined"}, "d c b"},
		{store.AuthorizationQuery{Outcome: "declined", Programs: here}, "c b"},
		{store.AuthorizationQuery{Outcome: "approved"}, "a"},
		{store.AuthorizationQuery{Reason: authorization.OverLimit}, "b"},
		{store.AuthorizationQuery{Reason: authorization.UnknownCard, Programs: here}, ""},
		{store.AuthorizationQuery{Reason: authorization.Approved}, "c a"},
		{store.AuthorizationQuery{Merchant: "fuel"}, "b"},
		{store.AuthorizationQuery{From: created.Add(2 * time.Second)}, "d c"},
		{store.AuthorizationQuery{To: created.Add(2 * time.Second)}, "b a"},
		{store.AuthorizationQuery{
			From: created.Add(time.Second), To: created.Add(2 * time.Second), Outcome: "declined",
		}, "b"},
	} {
		if got := list(row.of); got != row.want {
			t.Errorf("%+v: got %s, want %s", row.of, got, row.want)
		}
	}
	for _, row := range []struct {
		programs []int
		reason   authorization.Reason
		since    time.Time
		want     time.Time
	}{
		{nil, authorization.UnknownCard, created, all[3].Decided},
		{here, authorization.UnknownCard, created, time.Time{}},
		{here, authorization.OverLimit, all[1].Decided, all[1].Decided},
		{here, authorization.OverLimit, all[1].Decided.Add(time.Second), time.Time{}},
		{[]int{}, authorization.OverLimit, created, time.Time{}},
	} {
		wantSame(t, find(t, s, func(r store.Tx) (time.Time, error) {
			return r.Authorizations().FindFirstDeclined(row.programs, row.reason, row.since)
		}), row.want)
	}
	for i := range 31 { // enough cards to search the authorizations of the program instead
		kept(t, s, plain(fmt.Sprint("held ", i)))
	}
	wantSame(t, list(store.AuthorizationQuery{CustomerID: holderID, Programs: here}), "c")
	wantSame(t, list(store.AuthorizationQuery{CustomerID: creatorID}), "c b a")
}

// balancesOf returns an account as transfers see it.
func balancesOf(a customer.Account) authorization.Account {
	return authorization.Account{
		ID: a.ID, ProgramID: a.ProgramID, CustomerID: a.CustomerID, Status: a.Status,
		Balance: a.Balance, Available: a.AvailableBalance, Held: a.Held,
		Modified: a.BalanceModified, Revision: a.Revision,
	}
}

func moneyHolds(t *testing.T, s store.Store) {
	background(t, s)
	first, second := hold("b", 77), hold("a", 77)
	second.Placed = second.Placed.Add(time.Millisecond)
	deposits := usage(creatorID)
	deposits.Direction = authorization.Deposits
	update(t, s,
		func(tx store.Tx) error { return tx.Holds().Put(second) },
		func(tx store.Tx) error { return tx.Holds().Put(first) },
		func(tx store.Tx) error { return tx.Holds().Put(hold("c", 78)) },
		func(tx store.Tx) error { return tx.Usages().Put(usage(creatorID)) },
		func(tx store.Tx) error { return tx.Usages().Put(deposits) },
	)
	list := func() []authorization.Hold {
		return find(t, s, func(r store.Tx) ([]authorization.Hold, error) {
			return r.Holds().List(77)
		})
	}
	wantSame(t, list(), []authorization.Hold{first, second})
	h := find(t, s, func(r store.Tx) (authorization.HoldView, error) {
		return r.Holds().FindView(first.ID)
	})
	user := usage(creatorID)
	user.Revision = 1
	wantSame(t, h, authorization.HoldView{
		Hold: first, Account: balancesOf(storedAccount(201, customer.Checking)), User: user,
		Program: authorization.ProgramUsage{
			Total: authorization.Usage{ProgramID: programID, Direction: authorization.Withdraws},
		},
	})

	end := first.EndedBy(authorization.Posted, "posting-1", created)
	view(t, s, func(r store.Tx) error {
		_, err := r.Holds().FindEnd(first.ID)
		wantError(t, "before the end", err, store.ErrNotFound)
		return nil
	})
	update(t, s, func(tx store.Tx) error { return tx.Holds().Delete(end) })
	wantSame(t, list(), []authorization.Hold{second})
	ending := func(of store.HoldQuery) string {
		of.Limit = 1
		var ids []string
		for {
			holds := find(t, s, func(r store.Tx) ([]authorization.Hold, error) {
				return r.Holds().ListEnding(of)
			})
			if len(holds) == 0 {
				return strings.Join(ids, " ")
			}
			of.Before = holds[0].ListKey()
			ids = append(ids, strings.TrimPrefix(holds[0].ID, authorization.HoldPrefix(holds[0].CardID)))
		}
	}
	wantSame(t, ending(store.HoldQuery{}), "c a")
	wantSame(t, ending(store.HoldQuery{Programs: []int{programID}, AccountID: 201}), "c a")
	wantSame(t, ending(store.HoldQuery{Programs: []int{otherProgram}}), "")
	wantSame(t, ending(store.HoldQuery{Programs: []int{otherProgram}, AccountID: 201}), "")
	wantSame(t, ending(store.HoldQuery{AccountID: 202}), "")
	view(t, s, func(r store.Tx) error {
		_, err := r.Holds().FindView(first.ID)
		wantError(t, "after the end", err, store.ErrNotFound)
		return nil
	})
	wantFind(t, s, end, func(r store.Tx) (authorization.HoldEnd, error) {
		return r.Holds().FindEnd(first.ID)
	})
	wantUpdate(t, s, "the end again", store.ErrLostUpdate, func(tx store.Tx) error {
		return tx.Holds().Delete(first.EndedBy(authorization.Released, "", created))
	})
	wantRefused(t, s, "posted without a posting", func(tx store.Tx) error {
		return tx.Holds().Delete(second.EndedBy(authorization.Posted, "", created))
	})
}

func moneyDueHolds(t *testing.T, s store.Store) {
	background(t, s)
	var all []authorization.Hold
	for i, id := range []string{"c", "a", "b"} {
		h := hold(id, 77)
		h.Ends = h.Ends.Add(time.Duration(i/2) * time.Hour)
		all = append(all, h)
	}
	foreign := hold("foreign", 77)
	foreign.ProgramID = otherProgram
	update(t, s, func(tx store.Tx) error {
		for _, h := range append(all, foreign) {
			if err := tx.Holds().Put(h); err != nil {
				return err
			}
		}
		return nil
	})
	due := func(until time.Time, limit int) []string {
		var ids []string
		for _, h := range find(t, s, func(r store.Tx) ([]authorization.Hold, error) {
			return r.Holds().ListDue(programID, until, limit)
		}) {
			ids = append(ids, strings.TrimPrefix(h.ID, authorization.HoldPrefix(77)))
		}
		return ids
	}
	ends := all[0].Ends
	wantSame(t, due(ends.Add(-time.Millisecond), 9), []string(nil))
	wantSame(t, due(ends, 9), []string{"a", "c"})
	wantSame(t, due(ends.Add(time.Hour), 9), []string{"a", "c", "b"})
	wantSame(t, due(ends.Add(time.Hour), 1), []string{"a"})
}

// moneyBalances checks that Balances.Change stores the balances of an account and nothing else.
func moneyBalances(t *testing.T, s store.Store) {
	background(t, s)
	stored := storedAccount(201, customer.Checking)
	changed := balancesOf(stored)
	changed.Balance, changed.Available, changed.Held = amount(-5), amount(-12), amount(7)
	changed.Modified = created
	update(t, s, func(tx store.Tx) error { return tx.Balances().Change(changed) })
	changed.Revision++
	wantFind(t, s, changed, func(r store.Tx) (authorization.Account, error) {
		return r.Balances().Find(201)
	})
	stored.Balance, stored.AvailableBalance, stored.Held = amount(-5), amount(-12), amount(7)
	stored.BalanceModified, stored.Revision = created, 2
	wantSame(t, find(t, s, func(r store.Tx) (customer.Account, error) {
		all, err := r.Accounts().FindMany([]int{201})
		return all[201], err
	}), stored)
	late := s.Update(context.Background(), func(tx store.Tx) error {
		changed.Revision = 1
		return tx.Balances().Change(changed)
	})
	wantError(t, "an older revision", late, store.ErrLostUpdate)
	view(t, s, func(r store.Tx) error {
		_, err := r.Balances().Find(404)
		wantError(t, "no such account", err, store.ErrNotFound)
		return nil
	})
}

func moneyUsages(t *testing.T, s store.Store) {
	background(t, s)
	sum := func(day authorization.Day) authorization.Usage {
		return find(t, s, func(r store.Tx) (authorization.Usage, error) {
			return r.Usages().Sum(programID, authorization.Withdraws, day)
		})
	}
	want := authorization.Usage{
		ProgramID: programID, Direction: authorization.Withdraws, Day: 20260203,
	}
	wantSame(t, sum(20260203), want)
	before := usage(holderID)
	before.Day = 20260202
	deposits := usage(creatorID)
	deposits.Direction = authorization.Deposits
	foreign := usage(foreignID)
	foreign.ProgramID = otherProgram
	update(t, s,
		func(tx store.Tx) error { return tx.Usages().Put(usage(creatorID)) },
		func(tx store.Tx) error { return tx.Usages().Put(usage(4)) },
		func(tx store.Tx) error { return tx.Usages().Put(usage(0)) },
		func(tx store.Tx) error { return tx.Usages().Put(before) },
		func(tx store.Tx) error { return tx.Usages().Put(deposits) },
		func(tx store.Tx) error { return tx.Usages().Put(foreign) },
	)
	want.OfDay = amount(10)
	wantSame(t, sum(20260203), want)
	wantUsages(t, s)

	next := usage(creatorID)
	next.Revision, next.OfDay = 1, amount(6)
	update(t, s, func(tx store.Tx) error { return tx.Usages().Put(next) })
	want.OfDay = amount(11)
	wantSame(t, sum(20260203), want)
	for revision, lost := range map[int]error{0: store.ErrExists, 1: store.ErrLostUpdate} {
		next.Revision = revision
		wantUpdate(t, s, fmt.Sprint("revision ", revision), lost, func(tx store.Tx) error {
			return tx.Usages().Put(next)
		})
	}
}

// wantUsages lists the sums of a program, in pages.
func wantUsages(t *testing.T, s store.Store) {
	t.Helper()
	behind := authorization.Usage{ProgramID: programID, CustomerID: -1}
	var listed []string
	for more := true; more; {
		page := find(t, s, func(r store.Tx) ([]authorization.Usage, error) {
			return r.Usages().List(behind, 2)
		})
		for _, u := range page {
			behind = u
			listed = append(listed, fmt.Sprint(u.CustomerID, " ", u.Direction))
		}
		more = len(page) > 0
	}
	wantSame(t, listed, []string{
		"0 withdraw", "4 withdraw", "101 deposit", "101 withdraw", "102 withdraw",
	})
}

// moneyShares finds the share of an Update, and lists the shares with an unused rest.
func moneyShares(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("spent"))
	update(t, s, func(tx store.Tx) error { return tx.Holds().Put(hold("b", 77)) })
	update(t, s, func(tx store.Tx) error {
		v, err := tx.Authorizations().FindView(store.CardRef{ID: c.ID}, authorization.Withdraws)
		if err != nil || v.Program.Share.Lane == 0 {
			return err
		}
		want := share(v.Program.Share.Lane)
		if err := tx.Usages().PutShare(want); err != nil {
			return err
		}
		want.Revision = 1
		v, err = tx.Authorizations().FindView(store.CardRef{ID: c.ID}, authorization.Withdraws)
		if err != nil {
			return err
		}
		wantSame(t, v.Program.Share, want)
		h, err := tx.Holds().FindView(hold("b", 77).ID)
		wantSame(t, h.Program.Share, want)
		want.Rest = amount(0)
		return errors.Join(err, tx.Usages().PutShare(want))
	})
	list := func() []authorization.Share {
		return find(t, s, func(r store.Tx) ([]authorization.Share, error) {
			return r.Usages().ListShares(programID, authorization.Withdraws, 20260203)
		})
	}
	wantSame(t, len(list()), 0)
	before, deposits, foreign := share(101), share(101), share(101)
	before.Lane, before.Day = 102, 20260202
	deposits.Direction, foreign.ProgramID = authorization.Deposits, otherProgram
	for _, each := range []authorization.Share{share(101), before, deposits, foreign} {
		update(t, s, func(tx store.Tx) error { return tx.Usages().PutShare(each) })
	}
	want := share(101)
	want.Revision = 1
	wantSame(t, list(), []authorization.Share{want})
	update(t, s, func(tx store.Tx) error { return tx.Usages().Put(usage(0)) })
	used := find(t, s, func(r store.Tx) ([]authorization.Usage, error) {
		return r.Usages().List(authorization.Usage{ProgramID: programID, CustomerID: -1}, 1)
	})
	wantSame(t, used[0].OfDay, amount(2))
	for revision, lost := range map[int]error{0: store.ErrExists, 2: store.ErrLostUpdate} {
		want.Revision = revision
		wantUpdate(t, s, fmt.Sprint("revision ", revision), lost, func(tx store.Tx) error {
			return tx.Usages().PutShare(want)
		})
	}
}

// moneyManyOnOneAccount has many workers draw on one account until nothing is left. Each that
// succeeded must have a hold, and no amount may be drawn twice.
func moneyManyOnOneAccount(t *testing.T, s store.Store) {
	background(t, s)
	const fits = 30
	update(t, s, func(tx store.Tx) error {
		a, err := tx.Balances().Find(201)
		if err != nil {
			return err
		}
		a.Balance, a.Available = amount(fits), amount(fits)
		return tx.Balances().Change(a)
	})
	inParallel(workers, func(worker int) {
		err := retryLost(func() error {
			return s.Update(context.Background(), func(tx store.Tx) error {
				a, err := tx.Balances().Find(201)
				if err != nil || a.Available.TenThousandths == 0 {
					return err
				}
				h := hold(fmt.Sprint("hold ", worker), 77)
				h.Amount = amount(1)
				if a, err = a.Hold(h); err != nil {
					return err
				}
				if err := tx.Holds().Put(h); err != nil {
					return err
				}
				return tx.Balances().Change(a)
			})
		})
		if err != nil {
			t.Errorf("worker %d: %v", worker, err)
		}
	})
	view(t, s, func(r store.Tx) error {
		a, err := r.Balances().Find(201)
		wantSame(t, [3]value.Amount{a.Balance, a.Available, a.Held},
			[3]value.Amount{amount(fits), amount(0), amount(fits)})
		holds, listed := r.Holds().List(77)
		wantSame(t, len(holds), fits)
		return errors.Join(err, listed)
	})
}

// moneyChangedHolds grows a hold, ends it because nothing is left, opens it again and ends it
// permanently.
func moneyChangedHolds(t *testing.T, s store.Store) {
	background(t, s)
	h := hold("h", 77)
	h.Particulars = authorization.Particulars{
		Currency: "USD", Original: &authorization.Original{
			Amount: amount(1).Fixed(4), Currency: "EUR",
		},
		Merchant: &authorization.Merchant{Name: "Café", Country: "US", MCC: "5411"},
	}
	update(t, s, func(tx store.Tx) error { return tx.Holds().Put(h) })
	h = h.Increase(amount(7), h.Day+1)
	h.Ends = h.Ends.Add(time.Hour)
	update(t, s, func(tx store.Tx) error { return tx.Holds().Change(h) })
	list := func() []authorization.Hold {
		return find(t, s, func(r store.Tx) ([]authorization.Hold, error) {
			return r.Holds().List(77)
		})
	}
	wantSame(t, list(), []authorization.Hold{h})
	end := h.EndedBy(authorization.Released, "", created)
	end.Emptied = true
	update(t, s, func(tx store.Tx) error { return tx.Holds().Delete(end) })
	wantUpdate(t, s, "a change of a hold that has ended", store.ErrLostUpdate,
		func(tx store.Tx) error { return tx.Holds().Change(h) })
	findEnd := func(r store.Tx) (authorization.HoldEnd, error) { return r.Holds().FindEnd(h.ID) }
	wantFind(t, s, end, findEnd)
	update(t, s,
		func(tx store.Tx) error { return tx.Holds().DeleteEnd(h.ID) },
		func(tx store.Tx) error { return tx.Holds().Put(h) },
	)
	wantSame(t, list(), []authorization.Hold{h})
	update(t, s,
		func(tx store.Tx) error { return tx.Holds().Delete(end) },
		func(tx store.Tx) error { return tx.Holds().ChangeEnd(h.ID) },
	)
	end.Emptied = false
	wantFind(t, s, end, findEnd)
	wantUpdate(t, s, "a hold that has ended for good", store.ErrLostUpdate,
		func(tx store.Tx) error { return tx.Holds().DeleteEnd(h.ID) })
	never := end
	never.HoldID = "never placed"
	update(t, s, func(tx store.Tx) error { return tx.Holds().PutEnd(never) })
	wantFind(t, s, never, func(r store.Tx) (authorization.HoldEnd, error) {
		return r.Holds().FindEnd(never.HoldID)
	})
	wantEnds := func(program int, after string, limit int, want ...authorization.HoldEnd) {
		t.Helper()
		wantSame(t, find(t, s, func(r store.Tx) ([]authorization.HoldEnd, error) {
			return r.Holds().ListEnds(program, after, limit)
		}), want)
	}
	wantEnds(programID, "", 3, end, never)
	wantEnds(programID, "", 1, end)
	wantEnds(programID, end.HoldID, 1, never)
	wantEnds(programID, never.HoldID, 1)
	wantEnds(otherProgram, "", 1)
}

// moneyAdvised adds everything to an authorization that may arrive after its decision.
func moneyAdvised(t *testing.T, s store.Store) {
	background(t, s)
	a := asked("late", 77)
	update(t, s, func(tx store.Tx) error { return tx.Authorizations().Put(a) })
	until := created.Add(time.Hour)
	a.Transfer.Amount, a.Decision.Amount = amount(9), amount(8)
	a.CustomerID, a.Root, a.Reason = creatorID, "root", authorization.OverLimit
	least := amount(3).Fixed(4)
	a.Details = authorization.Details{
		Partial: true, HoldUntil: &until, Ends: &created, IncrementOf: "other", Booked: true,
		Original: &authorization.Original{Amount: amount(5).Fixed(4), Currency: "EUR"},
		Merchant: &authorization.Merchant{
			ID: "m", Name: "Café", City: "Zürich", Country: "CH", MCC: "5812",
		},
		Why: authorization.Why{
			Limit: &authorization.Exceeded{Name: "perUserDailyWithdrawLimit", Least: &least,
				Sum: amount(7).Fixed(4)},
			Tried: []authorization.ConsideredAccount{
				{AccountID: 201, Status: customer.Open, Available: amount(-1).Fixed(4)},
			},
		},
	}
	a.Advice = authorization.Advice{
		Digest: []byte{0, 9}, By: authorization.Network, Approved: true, Amount: amount(6),
		WouldHave: authorization.OverLimit,
	}
	a.Book = authorization.Book{
		Grown: amount(1), Reversed: authorization.Everything, Posted: amount(2),
	}
	update(t, s, func(tx store.Tx) error { return tx.Authorizations().Change(a) })
	get := func(r store.Tx) (authorization.Authorization, error) {
		return r.Authorizations().Find("late")
	}
	wantFind(t, s, a, get)
	wantSame(t, find(t, s, func(r store.Tx) ([]authorization.Authorization, error) {
		return r.Authorizations().FindMany([]string{"late", "404", "late"})
	}), []authorization.Authorization{a})
	missing := a
	missing.ID = "404"
	wantUpdate(t, s, "none", store.ErrLostUpdate, func(tx store.Tx) error {
		return tx.Authorizations().Change(missing)
	})
	wantUpdate(t, s, "again", store.ErrExists, func(tx store.Tx) error {
		return tx.Authorizations().Put(a)
	})
}

// moneyMarks deletes old marks, but not newer ones or those whose authorization arrived.
func moneyMarks(t *testing.T, s store.Store) {
	background(t, s)
	mark := func(id string) authorization.Authorization {
		return authorization.Authorization{
			ID: id, Decided: created, Book: authorization.Book{Reversed: amount(1)},
			Decision: authorization.Decision{Reason: authorization.Reversed},
		}
	}
	reversal := func(id string, days int) authorization.Reversal {
		return authorization.Reversal{
			ID: "of " + id, Digest: []byte{1}, AuthorizationID: id, At: created,
			Result: authorization.NotYetKnown, Done: created.AddDate(0, 0, days),
		}
	}
	renewed := mark("renewed") // by another, newer reversal
	renewed.Decided = created.AddDate(0, 0, 3)
	came := asked("came", 77)
	advised := mark("advised")
	advised.Kind, advised.Transfer.Amount = authorization.Purchase, amount(1)
	advised.Advice = authorization.Advice{By: authorization.StandIn, WouldHave: authorization.Reversed}
	update(t, s,
		func(tx store.Tx) error { return tx.Authorizations().Put(mark("old")) },
		func(tx store.Tx) error { return tx.Authorizations().Put(mark("new")) },
		func(tx store.Tx) error { return tx.Authorizations().Put(renewed) },
		func(tx store.Tx) error { return tx.Authorizations().Put(came) },
		func(tx store.Tx) error { return tx.Authorizations().Put(advised) },
		func(tx store.Tx) error { return tx.Reversals().Put(reversal("old", 0)) },
		func(tx store.Tx) error { return tx.Reversals().Put(reversal("renewed", 0)) },
		func(tx store.Tx) error { return tx.Reversals().Put(reversal("came", 1)) },
		func(tx store.Tx) error { return tx.Reversals().Put(reversal("advised", 2)) },
		func(tx store.Tx) error { return tx.Reversals().Put(reversal("new", 3)) },
	)
	wantUpdate(t, s, "the same reversal", store.ErrExists, func(tx store.Tx) error {
		return tx.Reversals().Put(reversal("old", 0))
	})
	wantFind(t, s, reversal("old", 0), func(r store.Tx) (authorization.Reversal, error) {
		return r.Reversals().Find("of old")
	})
	var deleted int
	update(t, s, func(tx store.Tx) (err error) {
		deleted, err = tx.Reversals().DeleteMarks(created.AddDate(0, 0, 3), 9)
		return err
	})
	wantSame(t, deleted, 4)
	view(t, s, func(r store.Tx) error {
		for id, want := range map[string]error{
			"old": store.ErrNotFound, "new": nil, "renewed": nil, "came": nil, "advised": nil,
		} {
			_, err := r.Authorizations().Find(id)
			wantError(t, id, err, want)
		}
		_, err := r.Reversals().Find("of old")
		wantError(t, "the reversal", err, store.ErrNotFound)
		return nil
	})
}
