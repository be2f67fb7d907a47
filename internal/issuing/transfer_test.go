package issuing_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/app/demo"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/testkit/pgtest"
)

// processorActor is the card processor, as its face names it.
var processorActor = audit.Actor{
	Kind: audit.Processor, Name: "processor", Address: "192.0.2.1",
	RequestID: "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
}

func cents(n int64) value.Amount { return value.Amount{TenThousandths: n * 100} }

// newServed returns services on one database server, one for each node.
func newServed(t *testing.T, nodes int) []*world {
	t.Helper()
	made, err := demoFile()
	if err != nil {
		t.Fatal(err)
	}
	data, err := demo.Read()
	if err != nil {
		t.Fatal(err)
	}
	url, frozen := pgtest.URL(t), clock.FrozenAt(start)
	var worlds []*world
	for range nodes {
		engine, err := postgres.Open(context.Background(), url, postgres.Options{Clock: frozen})
		if err != nil {
			t.Fatal(err)
		}
		kept := sqlstore.New(engine)
		t.Cleanup(func() {
			if err := kept.Close(); err != nil {
				t.Error(err)
			}
		})
		worlds = append(worlds, &world{
			t: t, store: kept, keys: made.keys, clock: frozen,
			Service: acts.New(kept, made.keys, issuing.Settings{
				Mode: card.Production, Random: rand.Reader, Clock: frozen,
			}),
		})
	}
	worlds[0].update(func(tx store.Tx) error {
		return data.Write(tx, made.keys, rand.Reader, ending)
	})
	return worlds
}

// onBothStores runs a test on the embedded store and on a database server.
func onBothStores(t *testing.T, run func(t *testing.T, w *world)) {
	t.Run("embedded", func(t *testing.T) { t.Parallel(); run(t, newProduction(t)) })
	t.Run("postgresql", func(t *testing.T) { t.Parallel(); run(t, newServed(t, 1)[0]) })
}

// spendable gives card 5001 checking accounts with balances in cents, 2001 and those behind it, and
// takes every limit of the program away.
func (w *world) spendable(balances ...int64) {
	w.t.Helper()
	w.setLimits(func(s *program.Settings) { *s = withoutLimits(*s) })
	w.update(func(tx store.Tx) error {
		before, err := tx.Cards().Find(1, 5001)
		if err != nil {
			return err
		}
		after := before
		after.Slots, after.PrimaryCategory = card.Slots{}, customer.Checking
		for i, balance := range balances {
			after.Slots.Checking = append(after.Slots.Checking, 2001+i)
			a, err := tx.Balances().Find(2001 + i)
			if err != nil {
				return err
			}
			a.Balance, a.Available = cents(balance), cents(balance)
			if err := tx.Balances().Change(a); err != nil {
				return err
			}
		}
		return tx.Cards().Change(before, &after)
	})
}

func withoutLimits(s program.Settings) program.Settings {
	s.PerTransactionDepositLimit, s.PerTransactionWithdrawLimit = nil, nil
	s.PerUserDailyDepositLimit, s.PerUserDailyWithdrawLimit = nil, nil
	s.PerUserMonthlyDepositLimit, s.PerUserMonthlyWithdrawLimit = nil, nil
	s.PerProgramDailyDepositLimit, s.PerProgramDailyWithdrawLimit = nil, nil
	return s
}

func (w *world) setLimits(change func(*program.Settings)) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		change(&p.Settings)
		return tx.Programs().Put(p)
	})
}

// asking is a purchase with card 5001.
func asking(id string, amount int64) authorization.Asked {
	return authorization.Asked{
		ID: id, CardID: 5001, At: start, Decimals: 2,
		Transfer: authorization.Transfer{Kind: authorization.Purchase, Amount: cents(amount)},
	}
}

// authorize asks, and wants a reason.
func (w *world) authorize(
	asked authorization.Asked, want authorization.Reason,
) transfers.Authorized {
	w.t.Helper()
	made, err := w.Transfers.Authorize(w.t.Context(), processorActor, asked)
	if err != nil || made.Reason != want || (made.HoldID != "") != made.Approved() ||
		(made.AccountID != 0) != made.Approved() || made.ID != asked.ID {
		w.t.Errorf("%s is answered %+v (%v), want %s", asked.ID, made, err, want)
	}
	return made
}

func (w *world) post(asked authorization.Movement) authorization.Posting {
	w.t.Helper()
	if asked.CardID == 0 {
		asked.CardID = 5001
	}
	if asked.Kind == "" {
		asked.Kind = authorization.Purchase
	}
	made, err := w.Transfers.Post(w.t.Context(), processorActor, asked)
	if err != nil {
		w.t.Errorf("posting %s: %v", asked.ID, err)
	}
	return made
}

func (w *world) release(holdID string, want authorization.End) {
	w.t.Helper()
	got, err := w.Transfers.Release(w.t.Context(), processorActor, holdID)
	if err != nil || got != want {
		w.t.Errorf("the release of %s is answered %s (%v), want %s", holdID, got, err, want)
	}
}

// wantBalances compares the balance and the available balance of an account, in cents, and holds
// that what is held is the sum of the holds that stand.
func (w *world) wantBalances(accountID int, balance, available int64) {
	w.t.Helper()
	w.view(func(r store.Tx) error {
		a, err := r.Balances().Find(accountID)
		if err != nil {
			return err
		}
		if a.Balance != cents(balance) || a.Available != cents(available) {
			w.t.Errorf("account %d has %s and %s available, want %s and %s", accountID,
				a.Balance.Fixed(2), a.Available.Fixed(2), cents(balance).Fixed(2),
				cents(available).Fixed(2))
		}
		if held := w.heldOn(r, accountID); a.Held != held || a.Balance.TenThousandths-
			held.TenThousandths != a.Available.TenThousandths {
			w.t.Errorf("account %d has %s, %s available, %s held; its holds are %s", accountID,
				a.Balance.Fixed(2), a.Available.Fixed(2), a.Held.Fixed(2), held.Fixed(2))
		}
		return nil
	})
}

// heldOn sums the holds on an account that stand.
func (w *world) heldOn(r store.Tx, accountID int) value.Amount {
	w.t.Helper()
	holds, err := r.Holds().List(5001)
	if err != nil {
		w.t.Fatal(err)
	}
	var sum value.Amount
	for _, h := range holds {
		if h.AccountID == accountID && h.Kind != authorization.Deposit {
			sum.TenThousandths += h.Amount.TenThousandths
		}
	}
	return sum
}

// wantTransferError compares the error of a message that cannot be done.
func wantTransferError(t *testing.T, err error, want transfers.TransferError) {
	t.Helper()
	var got *transfers.TransferError
	if !errors.As(err, &got) {
		t.Errorf("the error is %v, want %v", err, want)
		return
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestAuthorizeAndPost(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, w *world) {
		w.spendable(10_000)
		made := w.authorize(asking("a1", 3000), authorization.Approved)
		w.wantBalances(2001, 10_000, 7000)
		w.post(authorization.Movement{ID: "p1", HoldID: made.HoldID, Amount: cents(2500)})
		w.wantBalances(2001, 7500, 7500)
		larger := w.authorize(asking("a2", 100), authorization.Approved)
		w.post(authorization.Movement{ID: "p2", HoldID: larger.HoldID, Amount: cents(8000)})
		w.wantBalances(2001, -500, -500)
		w.authorize(asking("a3", 1), authorization.InsufficientFunds)

		deposit := asking("a4", 2000)
		deposit.Kind = authorization.Deposit
		paid := w.authorize(deposit, authorization.Approved)
		w.wantBalances(2001, -500, -500)
		w.post(authorization.Movement{
			ID: "p3", HoldID: paid.HoldID, Amount: cents(2000), Kind: authorization.Deposit,
		})
		w.wantBalances(2001, 1500, 1500)

		unused := w.authorize(asking("a5", 1500), authorization.Approved)
		w.wantBalances(2001, 1500, 0)
		w.release(unused.HoldID, authorization.Released)
		w.wantBalances(2001, 1500, 1500)
		w.post(authorization.Movement{ID: "p4", Amount: cents(1)}) // without a hold
		w.wantBalances(2001, 1499, 1499)
	})
}

// TestReasons holds each reason against the database that leads to it.
func TestReasons(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	w.spendable(10_000, 20_000)
	card := func(id string, cardID int, want authorization.Reason) {
		asked := asking(id, 100)
		asked.CardID = cardID
		w.authorize(asked, want)
	}
	card("unknown", 404, authorization.UnknownCard)
	card("SYS/ADM", 5002, authorization.Locked)
	card("SYS/PIN", 5003, authorization.Locked)
	card("SYS/LST", 5006, authorization.Locked)
	card("status Expired", 5004, authorization.CardStatus)
	card("Denied", 5005, authorization.CardStatus)
	card("Initiated", 5007, authorization.CardStatus)
	card("Archived", 5008, authorization.CardStatus)
	savings := asking("savings", 100)
	savings.Category = customer.Savings
	w.authorize(savings, authorization.NoAccount)
	w.authorize(asking("second", 15_000), authorization.Approved)
	w.authorize(asking("too much", 10_001), authorization.InsufficientFunds)

	if _, err := w.Cards.Lock(t.Context(), caller, lockRequest(
		issuing.CardRef{CustomerID: 1001, CardID: 5001}, "TMP")); err != nil {
		t.Fatal(err)
	}
	w.authorize(asking("CST/TMP", 100), authorization.Locked)
	if _, err := w.Cards.Unlock(t.Context(), caller,
		issuing.CardRef{CustomerID: 1001, CardID: 5001}); err != nil {
		t.Fatal(err)
	}
	change := func(locked bool, access customer.AccessType) {
		w.update(func(tx store.Tx) error {
			c, err := tx.Customers().Find(1, 1001)
			c.IsLocked, c.AccessType = locked, access
			return errors.Join(err, tx.Customers().Put(c))
		})
	}
	change(true, customer.Full)
	w.authorize(asking("customer", 100), authorization.Customer)
	change(false, customer.None)
	w.authorize(asking("no access", 100), authorization.Customer)
	change(false, customer.CardOnly)
	w.authorize(asking("before", 100), authorization.Approved)

	c := w.stored(5001)
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	over := time.Date(c.ExpireYear, time.Month(c.ExpireMonth)+1, 1, 0, 0, 0, 0, zone)
	w.at(over.Add(-time.Millisecond))
	w.authorize(asking("last moment", 100), authorization.Approved)
	w.at(over)
	w.authorize(asking("over", 100), authorization.Expired)
}

// TestSameAuthorization holds that an identifier is answered once, and with one body only.
func TestSameAuthorization(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, w *world) {
		w.spendable(10_000)
		first := w.authorize(asking("a1", 3000), authorization.Approved)
		later := asking("a1", 3000)
		later.At = start.Add(time.Hour)
		if again := w.authorize(later, authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		w.wantBalances(2001, 10_000, 7000)
		_, err := w.Transfers.Authorize(t.Context(), processorActor, asking("a1", 3001))
		wantTransferError(t, err, transfers.TransferError{
			Detail: "The authorizationId was used with another body.",
		})
		declined := w.authorize(asking("a2", 99_999), authorization.InsufficientFunds)
		w.spendable(100_000)
		again := w.authorize(asking("a2", 99_999), authorization.InsufficientFunds)
		if again != declined {
			t.Errorf("again: %+v, want %+v", again, declined)
		}
	})
}

func TestSamePostingAndRelease(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, w *world) {
		w.spendable(10_000)
		made := w.authorize(asking("a1", 3000), authorization.Approved)
		asked := authorization.Movement{ID: "p1", HoldID: made.HoldID, Amount: cents(3000)}
		first := w.post(asked)
		if diff := cmp.Diff(first, w.post(asked), cmp.AllowUnexported(value.Amount{})); diff != "" {
			t.Errorf("again (-first +again):\n%s", diff)
		}
		w.wantBalances(2001, 7000, 7000)
		other := asked
		other.Amount, other.CardID, other.Kind = cents(1), 5001, authorization.Purchase
		_, err := w.Transfers.Post(t.Context(), processorActor, other)
		wantTransferError(t, err, transfers.TransferError{
			Detail: "The postingId was used with another body.",
		})
		_, err = w.Transfers.Release(t.Context(), processorActor, made.HoldID)
		wantTransferError(t, err, transfers.TransferError{Detail: "The hold was posted."})
		// A second clearing of the same purchase is another posting.
		w.post(authorization.Movement{ID: "p2", HoldID: made.HoldID, Amount: cents(500)})
		w.wantBalances(2001, 6500, 6500)

		unused := w.authorize(asking("a2", 100), authorization.Approved)
		w.release(unused.HoldID, authorization.Released)
		w.release(unused.HoldID, authorization.Released)
		w.wantBalances(2001, 6500, 6500)
		// What was released may still be posted: the merchant has the money.
		w.post(authorization.Movement{ID: "p3", HoldID: unused.HoldID, Amount: cents(100)})
		w.wantBalances(2001, 6400, 6400)
	})
}

func TestImpossibleMessages(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.spendable(10_000, 10_000)
	made := w.authorize(asking("a1", 3000), authorization.Approved)
	post := func(want transfers.TransferError, change func(*authorization.Movement)) {
		t.Helper()
		asked := authorization.Movement{
			ID: "p1", HoldID: made.HoldID, CardID: 5001, Kind: authorization.Purchase,
			Amount: cents(1), Decimals: 2,
		}
		change(&asked)
		_, err := w.Transfers.Post(t.Context(), processorActor, asked)
		wantTransferError(t, err, want)
	}
	type asked = authorization.Movement
	post(transfers.TransferError{Missing: true, Detail: "There is no such card."},
		func(m *asked) { m.CardID = 404 })
	post(transfers.TransferError{Missing: true, Detail: "There is no such hold."},
		func(m *asked) { m.HoldID = "none" })
	post(transfers.TransferError{Detail: "The hold is on another card."},
		func(m *asked) { m.CardID = 5002 })
	post(transfers.TransferError{Detail: "The hold is on another account."},
		func(m *asked) { m.AccountID = 2002 })
	post(transfers.TransferError{Detail: "The hold is for a purchase."},
		func(m *asked) { m.Kind = authorization.Deposit })
	post(transfers.TransferError{Detail: "The account is not on the card."},
		func(m *asked) { m.HoldID, m.AccountID = "", 2005 })
	post(transfers.TransferError{
		Member: "amount", Detail: "has more decimal digits than the program's 2",
	}, func(m *asked) { m.Decimals = 3 })
	tooFine := asking("a2", 1)
	tooFine.Decimals = 3
	_, err := w.Transfers.Authorize(t.Context(), processorActor, tooFine)
	wantTransferError(t, err, transfers.TransferError{
		Member: "amount", Detail: "has more decimal digits than the program's 2",
	})
	_, err = w.Transfers.Release(t.Context(), processorActor, "none")
	wantTransferError(t, err, transfers.TransferError{
		Missing: true, Detail: "There is no such hold.",
	})
	w.wantBalances(2001, 10_000, 7000)
	w.wantBalances(2002, 10_000, 10_000)
}

// TestHoldsEnd holds that a hold ends by itself after its life, and not before.
func TestHoldsEnd(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, w *world) {
		w.spendable(100_000)
		const holds = 45 // more than one transaction ends
		var last transfers.Authorized
		for i := range holds {
			last = w.authorize(asking(fmt.Sprint("a", i), 1000), authorization.Approved)
		}
		w.wantBalances(2001, 100_000, 55_000)
		w.clock.Advance(authorization.HoldLife - time.Millisecond)
		end := func(want int) {
			t.Helper()
			if got, err := w.Transfers.EndHolds(t.Context()); err != nil || got != want {
				t.Errorf("%d holds ended (%v), want %d", got, err, want)
			}
		}
		end(0)
		w.clock.Advance(time.Millisecond)
		end(holds)
		end(0)
		w.wantBalances(2001, 100_000, 100_000)
		w.release(last.HoldID, authorization.RanOut)
		w.post(authorization.Movement{ID: "late", HoldID: last.HoldID, Amount: cents(1000)})
		w.wantBalances(2001, 99_000, 99_000)
	})
}

// TestTransferTrail holds what the audit says of each act.
func TestTransferTrail(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.spendable(10_000)
	before := len(w.trail(5001))
	asked := asking("a1", 3000)
	asked.Currency, asked.Category = "USD", customer.Checking
	made := w.authorize(asked, authorization.Approved)
	w.authorize(asking("a2", 99_999), authorization.InsufficientFunds)
	w.post(authorization.Movement{ID: "p1", HoldID: made.HoldID, Amount: cents(2550)})
	unused := w.authorize(asking("a3", 1), authorization.Approved)
	w.release(unused.HoldID, authorization.Released)
	w.authorize(asking("a4", 1), authorization.Approved)
	w.clock.Advance(authorization.HoldLife)
	if _, err := w.Transfers.EndHolds(t.Context()); err != nil {
		t.Fatal(err)
	}
	type row struct{ act, outcome, before, after string }
	want := []row{
		{"authorize", "approved", `{"accountBalance":100,"availableBalance":100}`,
			`{"accountBalance":100,"accountId":2001,"amount":30,"approved":true,` +
				`"authorizationId":"a1","availableBalance":70,"category":"Checking",` +
				`"currency":"USD","holdId":"` + made.HoldID + `","kind":"purchase",` +
				`"reason":"approved"}`},
		{"authorize", "declined", "", `{"amount":999.99,"approved":false,"authorizationId":"a2",` +
			`"kind":"purchase","reason":"insufficientFunds"}`},
		{"post", "created", `{"accountBalance":100,"availableBalance":70}`,
			`{"accountBalance":74.5,"accountId":2001,"amount":25.5,"availableBalance":74.5,` +
				`"holdId":"` + made.HoldID + `","kind":"purchase","postingId":"p1"}`},
		{act: "authorize", outcome: "approved"},
		{"release", "released", `{"accountBalance":74.5,"availableBalance":74.49}`,
			`{"accountBalance":74.5,"accountId":2001,"amount":0.01,"authorizationId":"a3",` +
				`"availableBalance":74.5,"holdId":"` + unused.HoldID + `","kind":"purchase"}`},
		{act: "authorize", outcome: "approved"},
		{act: "hold expired", outcome: "expired"},
	}
	rows := w.trail(5001)[before:]
	if len(rows) != len(want) {
		t.Fatalf("there are %d entries, want %d", len(rows), len(want))
	}
	for i, entry := range rows {
		actor := processorActor
		if entry.Act == "hold expired" {
			actor = jobOf(issuing.EndHoldsJob)
		}
		got := row{entry.Act, entry.Outcome, entry.Before, entry.After}
		if want[i].after == "" {
			got.before, got.after = "", ""
		}
		if got != want[i] || entry.Actor != actor || entry.ProgramID != 1 {
			t.Errorf("entry %d:\n got %v of %v\nwant %v", i, got, entry.Actor, want[i])
		}
	}
}

// at moves the clock to a moment.
func (w *world) at(moment time.Time) { w.clock.Advance(moment.Sub(w.clock.Now())) }
