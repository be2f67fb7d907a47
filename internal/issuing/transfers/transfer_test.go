package transfers_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// authorize requests an authorization, and checks the reason in the response.
func authorize(w *issuingtest.World,
	a authorization.Request, want authorization.Reason,
) transfers.Authorized {
	w.TB.Helper()
	authorized, err := w.Transfers.Authorize(w.TB.Context(), issuingtest.ProcessorActor, a)
	if err != nil || authorized.Reason != want || (authorized.HoldID != "") != authorized.Approved() ||
		(authorized.AccountID != 0) != authorized.Approved() || authorized.ID != a.ID {
		w.TB.Errorf("%s is answered %+v (%v), want %s", a.ID, authorized, err, want)
	}
	return authorized
}

func post(w *issuingtest.World, m authorization.PostingRequest) authorization.Posting {
	w.TB.Helper()
	if m.CardID == 0 {
		m.CardID = 5001
	}
	if m.Kind == "" {
		m.Kind = authorization.Purchase
	}
	posting, err := w.Transfers.Post(w.TB.Context(), issuingtest.ProcessorActor, m)
	if err != nil {
		w.TB.Errorf("posting %s: %v", m.ID, err)
	}
	return posting
}

func release(w *issuingtest.World, holdID string, want authorization.End) {
	w.TB.Helper()
	got, err := w.Transfers.Release(w.TB.Context(), issuingtest.ProcessorActor, holdID)
	if err != nil || got != want {
		w.TB.Errorf("the release of %s is answered %s (%v), want %s", holdID, got, err, want)
	}
}

// wantBalances compares the balance and the available balance of an account, in cents, and checks
// that the held amount is the sum of the open holds.
func wantBalances(w *issuingtest.World, accountID int, balance, available int64) {
	w.TB.Helper()
	w.View(func(r store.Tx) error {
		a, err := r.Balances().Find(accountID)
		if err != nil {
			return err
		}
		if a.Balance != issuingtest.Cents(balance) || a.Available != issuingtest.Cents(available) {
			w.TB.Errorf("account %d has %s and %s available, want %s and %s", accountID,
				a.Balance.Fixed(2), a.Available.Fixed(2), issuingtest.Cents(balance).Fixed(2),
				issuingtest.Cents(available).Fixed(2))
		}
		if held := heldOn(w, r, accountID); a.Held != held || a.Balance.TenThousandths-
			held.TenThousandths != a.Available.TenThousandths {
			w.TB.Errorf("account %d has %s, %s available, %s held; its holds are %s", accountID,
				a.Balance.Fixed(2), a.Available.Fixed(2), a.Held.Fixed(2), held.Fixed(2))
		}
		return nil
	})
}

// heldOn returns the sum of the open holds on an account.
func heldOn(w *issuingtest.World, r store.Tx, accountID int) value.Amount {
	w.TB.Helper()
	holds, err := r.Holds().List(5001)
	if err != nil {
		w.TB.Fatal(err)
	}
	var sum value.Amount
	for _, h := range holds {
		if h.AccountID == accountID && h.Kind != authorization.Deposit {
			sum.TenThousandths += h.Amount.TenThousandths
		}
	}
	return sum
}

func TestAuthorizeAndPost(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		authorized := authorize(w, issuingtest.PurchaseRequest("a1", 3000), authorization.Approved)
		wantBalances(w, 2001, 10_000, 7000)
		post(w, authorization.PostingRequest{ID: "p1", HoldID: authorized.HoldID, Amount: issuingtest.Cents(2500)})
		wantBalances(w, 2001, 7500, 7500)
		larger := authorize(w, issuingtest.PurchaseRequest("a2", 100), authorization.Approved)
		post(w, authorization.PostingRequest{ID: "p2", HoldID: larger.HoldID, Amount: issuingtest.Cents(8000)})
		wantBalances(w, 2001, -500, -500)
		authorize(w, issuingtest.PurchaseRequest("a3", 1), authorization.InsufficientFunds)

		deposit := issuingtest.PurchaseRequest("a4", 2000)
		deposit.Kind = authorization.Deposit
		paid := authorize(w, deposit, authorization.Approved)
		wantBalances(w, 2001, -500, -500)
		post(w, authorization.PostingRequest{
			ID: "p3", HoldID: paid.HoldID, Amount: issuingtest.Cents(2000), Kind: authorization.Deposit,
		})
		wantBalances(w, 2001, 1500, 1500)

		unused := authorize(w, issuingtest.PurchaseRequest("a5", 1500), authorization.Approved)
		wantBalances(w, 2001, 1500, 0)
		release(w, unused.HoldID, authorization.Released)
		wantBalances(w, 2001, 1500, 1500)
		post(w, authorization.PostingRequest{ID: "p4", Amount: issuingtest.Cents(1)}) // without a hold
		wantBalances(w, 2001, 1499, 1499)
	})
}

// TestReasons checks each reason with a database that leads to it.
func TestReasons(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Spendable(10_000, 20_000)
	card := func(id string, cardID int, want authorization.Reason) {
		a := issuingtest.PurchaseRequest(id, 100)
		a.CardID = cardID
		authorize(w, a, want)
	}
	card("unknown", 404, authorization.UnknownCard)
	card("SYS/ADM", 5002, authorization.Locked)
	card("SYS/PIN", 5003, authorization.Locked)
	card("SYS/LST", 5006, authorization.Locked)
	card("status Expired", 5004, authorization.CardStatus)
	card("Denied", 5005, authorization.CardStatus)
	card("Initiated", 5007, authorization.CardStatus)
	card("Archived", 5008, authorization.CardStatus)
	savings := issuingtest.PurchaseRequest("savings", 100)
	savings.Category = customer.Savings
	authorize(w, savings, authorization.NoAccount)
	authorize(w, issuingtest.PurchaseRequest("second", 15_000), authorization.Approved)
	authorize(w, issuingtest.PurchaseRequest("too much", 10_001), authorization.InsufficientFunds)

	if _, err := w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(
		issuing.CardRef{CustomerID: 1001, CardID: 5001}, "TMP")); err != nil {
		t.Fatal(err)
	}
	authorize(w, issuingtest.PurchaseRequest("CST/TMP", 100), authorization.Locked)
	if _, err := w.Cards.Unlock(t.Context(), issuingtest.Caller,
		issuing.CardRef{CustomerID: 1001, CardID: 5001}); err != nil {
		t.Fatal(err)
	}
	change := func(locked bool, access customer.AccessType) {
		w.Update(func(tx store.Tx) error {
			c, err := tx.Customers().Find(1, 1001)
			c.IsLocked, c.AccessType = locked, access
			return errors.Join(err, tx.Customers().Put(c))
		})
	}
	change(true, customer.Full)
	authorize(w, issuingtest.PurchaseRequest("customer", 100), authorization.Customer)
	change(false, customer.None)
	authorize(w, issuingtest.PurchaseRequest("no access", 100), authorization.Customer)
	change(false, customer.CardOnly)
	authorize(w, issuingtest.PurchaseRequest("before", 100), authorization.Approved)

	c := w.Stored(5001)
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	over := time.Date(c.ExpireYear, time.Month(c.ExpireMonth)+1, 1, 0, 0, 0, 0, zone)
	atMoment(w, over.Add(-time.Millisecond))
	authorize(w, issuingtest.PurchaseRequest("last moment", 100), authorization.Approved)
	atMoment(w, over)
	authorize(w, issuingtest.PurchaseRequest("over", 100), authorization.Expired)
}

// TestSameAuthorization checks that an identifier is answered once, and for one body only.
func TestSameAuthorization(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		first := authorize(w, issuingtest.PurchaseRequest("a1", 3000), authorization.Approved)
		later := issuingtest.PurchaseRequest("a1", 3000)
		later.At = issuingtest.Start.Add(time.Hour)
		if again := authorize(w, later, authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		wantBalances(w, 2001, 10_000, 7000)
		_, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, issuingtest.PurchaseRequest("a1", 3001))
		issuingtest.WantTransferError(t, err, transfers.TransferError{
			Detail: "The authorizationId was used with another body.",
		})
		declined := authorize(w, issuingtest.PurchaseRequest("a2", 99_999), authorization.InsufficientFunds)
		w.Spendable(100_000)
		again := authorize(w, issuingtest.PurchaseRequest("a2", 99_999), authorization.InsufficientFunds)
		if again != declined {
			t.Errorf("again: %+v, want %+v", again, declined)
		}
	})
}

func TestSamePostingAndRelease(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		authorized := authorize(w, issuingtest.PurchaseRequest("a1", 3000), authorization.Approved)
		m := authorization.PostingRequest{ID: "p1", HoldID: authorized.HoldID, Amount: issuingtest.Cents(3000)}
		first := post(w, m)
		if diff := cmp.Diff(first, post(w, m), cmp.AllowUnexported(value.Amount{})); diff != "" {
			t.Errorf("again (-first +again):\n%s", diff)
		}
		wantBalances(w, 2001, 7000, 7000)
		other := m
		other.Amount, other.CardID, other.Kind = issuingtest.Cents(1), 5001, authorization.Purchase
		_, err := w.Transfers.Post(t.Context(), issuingtest.ProcessorActor, other)
		issuingtest.WantTransferError(t, err, transfers.TransferError{
			Detail: "The postingId was used with another body.",
		})
		_, err = w.Transfers.Release(t.Context(), issuingtest.ProcessorActor, authorized.HoldID)
		issuingtest.WantTransferError(t, err, transfers.TransferError{Detail: "The hold was posted."})
		// A second clearing of the same purchase is a separate posting.
		post(w, authorization.PostingRequest{ID: "p2", HoldID: authorized.HoldID, Amount: issuingtest.Cents(500)})
		wantBalances(w, 2001, 6500, 6500)

		unused := authorize(w, issuingtest.PurchaseRequest("a2", 100), authorization.Approved)
		release(w, unused.HoldID, authorization.Released)
		release(w, unused.HoldID, authorization.Released)
		wantBalances(w, 2001, 6500, 6500)
		// A released amount may still be posted: the merchant has the money.
		post(w, authorization.PostingRequest{ID: "p3", HoldID: unused.HoldID, Amount: issuingtest.Cents(100)})
		wantBalances(w, 2001, 6400, 6400)
	})
}

func TestImpossibleMessages(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Spendable(10_000, 10_000)
	authorized := authorize(w, issuingtest.PurchaseRequest("a1", 3000), authorization.Approved)
	post := func(want transfers.TransferError, change func(*authorization.PostingRequest)) {
		t.Helper()
		m := authorization.PostingRequest{
			ID: "p1", HoldID: authorized.HoldID, CardID: 5001, Kind: authorization.Purchase,
			Amount: issuingtest.Cents(1), Decimals: 2,
		}
		change(&m)
		_, err := w.Transfers.Post(t.Context(), issuingtest.ProcessorActor, m)
		issuingtest.WantTransferError(t, err, want)
	}
	type asked = authorization.PostingRequest
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
	}, func(m *asked) { m.Amount, m.Decimals = value.Amount{TenThousandths: 10}, 3 })
	tooFine := issuingtest.PurchaseRequest("a2", 1)
	tooFine.Decimals = 3
	_, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, tooFine)
	issuingtest.WantTransferError(t, err, transfers.TransferError{
		Member: "amount", Detail: "has more decimal digits than the program's 2",
	})
	_, err = w.Transfers.Release(t.Context(), issuingtest.ProcessorActor, "none")
	issuingtest.WantTransferError(t, err, transfers.TransferError{
		Missing: true, Detail: "There is no such hold.",
	})
	wantBalances(w, 2001, 10_000, 7000)
	wantBalances(w, 2002, 10_000, 10_000)
}

// TestHoldsEnd checks that a hold expires after its lifetime, and not before.
func TestHoldsEnd(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(100_000)
		const holds = 45 // more than one transaction expires
		var last transfers.Authorized
		for i := range holds {
			last = authorize(w, issuingtest.PurchaseRequest(fmt.Sprint("a", i), 1000), authorization.Approved)
		}
		wantBalances(w, 2001, 100_000, 55_000)
		w.Clock.Advance(authorization.HoldLife - time.Millisecond)
		end := func(want int) {
			t.Helper()
			if got, err := w.Transfers.EndHolds(t.Context()); err != nil || got != want {
				t.Errorf("%d holds ended (%v), want %d", got, err, want)
			}
		}
		end(0)
		w.Clock.Advance(time.Millisecond)
		end(holds)
		end(0)
		wantBalances(w, 2001, 100_000, 100_000)
		release(w, last.HoldID, authorization.HoldExpired)
		post(w, authorization.PostingRequest{ID: "late", HoldID: last.HoldID, Amount: issuingtest.Cents(1000)})
		wantBalances(w, 2001, 99_000, 99_000)
	})
}

// TestMarksAreForgotten checks that one run deletes all marks of reversals that are too old.
func TestMarksAreForgotten(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	const marks = 45 // more than two batches
	id := func(of string, i int) string { return fmt.Sprintf("%s%d", of, i) }
	for i := range marks {
		_, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
			authorization.ReversalRequest{ID: id("r", i), AuthorizationID: id("a", i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(authorization.MarkLife + time.Second)
	if _, err := w.Transfers.EndHolds(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.View(func(r store.Tx) error {
		for i := range marks {
			if _, err := r.Reversals().Find(id("r", i)); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("mark %d: %v", i, err)
			}
		}
		return nil
	})
}

// TestMarkOfTwoReversals checks that an authorization reversed twice before it arrives is declined
// for the time promised by the second reversal.
func TestMarkOfTwoReversals(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		reverse := func(id string) {
			back, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
				authorization.ReversalRequest{
					ID: id, AuthorizationID: "late", Amount: authorization.Everything,
				})
			if err != nil || back.Result != authorization.NotYetKnown {
				t.Errorf("%s: %v, %v", id, back.Result, err)
			}
		}
		forget := func(after time.Duration) {
			w.Clock.Advance(after)
			if _, err := w.Transfers.EndHolds(t.Context()); err != nil {
				t.Error(err)
			}
		}
		reverse("r1")
		forget(authorization.MarkLife - time.Hour)
		reverse("r2")
		forget(2 * time.Hour)
		authorize(w, issuingtest.PurchaseRequest("late", 100), authorization.Reversed)
	})
}

// TestTransferTrail checks the audit entry of each act.
func TestTransferTrail(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Spendable(10_000)
	before := len(w.Trail(5001))
	a := issuingtest.PurchaseRequest("a1", 3000)
	a.Currency, a.Category = "USD", customer.Checking
	authorized := authorize(w, a, authorization.Approved)
	authorize(w, issuingtest.PurchaseRequest("a2", 99_999), authorization.InsufficientFunds)
	post(w, authorization.PostingRequest{ID: "p1", HoldID: authorized.HoldID, Amount: issuingtest.Cents(2550)})
	unused := authorize(w, issuingtest.PurchaseRequest("a3", 1), authorization.Approved)
	release(w, unused.HoldID, authorization.Released)
	authorize(w, issuingtest.PurchaseRequest("a4", 1), authorization.Approved)
	w.Clock.Advance(authorization.HoldLife)
	if _, err := w.Transfers.EndHolds(t.Context()); err != nil {
		t.Fatal(err)
	}
	type row struct{ act, outcome, before, after string }
	want := []row{
		{"authorize", "approved", `{"accountBalance":100,"availableBalance":100}`,
			`{"accountBalance":100,"accountId":2001,"amount":30,"approved":true,` +
				`"authorizationId":"a1","availableBalance":70,"category":"Checking",` +
				`"currency":"USD","holdId":"` + authorized.HoldID + `","kind":"purchase",` +
				`"reason":"approved"}`},
		{"authorize", "declined", "", `{"amount":999.99,"approved":false,"authorizationId":"a2",` +
			`"kind":"purchase","reason":"insufficientFunds"}`},
		{"post", "created", `{"accountBalance":100,"availableBalance":70}`,
			`{"accountBalance":74.5,"accountId":2001,"amount":25.5,"authorizationId":"a1",` +
				`"availableBalance":74.5,"currency":"USD","holdId":"` + authorized.HoldID +
				`","kind":"purchase","postingId":"p1"}`},
		{act: "authorize", outcome: "approved"},
		{"release", "released", `{"accountBalance":74.5,"availableBalance":74.49}`,
			`{"accountBalance":74.5,"accountId":2001,"amount":0.01,"authorizationId":"a3",` +
				`"availableBalance":74.5,"holdId":"` + unused.HoldID + `","kind":"purchase"}`},
		{act: "authorize", outcome: "approved"},
		{act: "hold expired", outcome: "expired"},
	}
	rows := w.Trail(5001)[before:]
	if len(rows) != len(want) {
		t.Fatalf("there are %d entries, want %d", len(rows), len(want))
	}
	for i, entry := range rows {
		actor := issuingtest.ProcessorActor
		if entry.Act == "hold expired" {
			actor = issuingtest.JobOf(issuing.EndHoldsJob)
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

// atMoment moves the clock to a time.
func atMoment(w *issuingtest.World, moment time.Time) { w.Clock.Advance(moment.Sub(w.Clock.Now())) }
