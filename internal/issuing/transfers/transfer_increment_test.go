package transfers_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/testkit/issuingtest"
)

// increment requests an additional amount on the hold of an authorization.
func increment(id, of string, amount int64) authorization.Request {
	a := issuingtest.PurchaseRequest(id, amount)
	a.IncrementOf = of
	return a
}

// TestPostingOfDeclinedIncrement posts a declined increment. It is booked to the account of the
// hold, and the hold is unchanged.
func TestPostingOfDeclinedIncrement(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(1000, 20_000) // the second account pays
		first := authorize(w, issuingtest.PurchaseRequest("a1", 10_000), authorization.Approved)
		authorize(w, increment("declined", "a1", 15_000), authorization.InsufficientFunds)
		balance := int64(20_000)
		for _, m := range []authorization.PostingRequest{
			{ID: "p1", AuthorizationID: "declined", NotFinal: true},
			{ID: "p2", AuthorizationID: "declined"},
			{ID: "p3", AuthorizationID: "declined"}, // again, after a final one
		} {
			m.Amount = issuingtest.Cents(500)
			if posted := post(w, m); posted.HoldID == first.HoldID || posted.AccountID != 2002 {
				t.Errorf("%s is posted on hold %q and account %d", m.ID, posted.HoldID,
					posted.AccountID)
			}
			balance -= 500
			wantBalances(w, 2002, balance, balance-10_000)
		}
		post(w, authorization.PostingRequest{
			ID: "p4", HoldID: first.HoldID, Amount: issuingtest.Cents(10_000),
		})
		wantBalances(w, 2002, balance-10_000, balance-10_000)
	})
}

// TestPostingBeforeAdviceOfIncrement posts an increment that was declined here, before the advice
// that it was approved. The hold is the same as if the advice had arrived first.
func TestPostingBeforeAdviceOfIncrement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		notFinal, reversed bool
		held               int64
	}{
		"final": {}, "more to come": {notFinal: true, held: 10_000 + 15_000 - 300},
		"final, a part reversed before it arrived": {reversed: true},
		"more to come, a part reversed before it arrived": {
			notFinal: true, reversed: true, held: 10_000 + 15_000 - 100 - 300,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewProduction(t)
			w.Spendable(20_000)
			ctx, from := t.Context(), issuingtest.ProcessorActor
			authorize(w, issuingtest.PurchaseRequest("a1", 10_000), authorization.Approved)
			more := increment("a2", "a1", 15_000)
			if c.reversed {
				_, err := w.Transfers.Reverse(ctx, from, authorization.ReversalRequest{
					ID: "r1", AuthorizationID: "a2", Amount: issuingtest.Cents(100),
					At: issuingtest.Start,
				})
				if err != nil {
					t.Fatal(err)
				}
			} else {
				authorize(w, more, authorization.InsufficientFunds)
			}
			post(w, authorization.PostingRequest{
				ID: "p1", AuthorizationID: "a2", Amount: issuingtest.Cents(300), NotFinal: c.notFinal,
			})
			wantBalances(w, 2001, 20_000-300, 20_000-300-10_000)
			advise := authorization.AdviceRequest{
				Request: more, Decision: "approved", By: authorization.StandIn,
			}
			if _, err := w.Transfers.Advise(ctx, from, advise); err != nil {
				t.Fatal(err)
			}
			wantBalances(w, 2001, 20_000-300, 20_000-300-c.held)
		})
	}
}

// TestReversedBeforeItArrives reverses authorizations before they arrive. Whatever follows is
// booked to the account that another order of the messages would have chosen.
func TestReversedBeforeItArrives(t *testing.T) {
	t.Parallel()
	ctx, from := t.Context(), issuingtest.ProcessorActor
	reverse := func(w *issuingtest.World, id string) {
		w.TB.Helper()
		r, err := w.Transfers.Reverse(ctx, from, authorization.ReversalRequest{
			ID: "r-" + id, AuthorizationID: id, Amount: authorization.Everything,
			At: issuingtest.Start,
		})
		if err != nil || r.Result != authorization.NotYetKnown {
			w.TB.Errorf("the reversal of %s: %s (%v)", id, r.Result, err)
		}
	}
	advise := func(w *issuingtest.World, a authorization.Request) {
		w.TB.Helper()
		_, err := w.Transfers.Advise(ctx, from, authorization.AdviceRequest{
			Request: a, Decision: "approved", By: authorization.StandIn,
		})
		if err != nil {
			w.TB.Error(err)
		}
	}
	for name, run := range map[string]func(t *testing.T, w *issuingtest.World){
		"an advice names the account": func(t *testing.T, w *issuingtest.World) {
			reverse(w, "a1")
			advise(w, issuingtest.PurchaseRequest("a1", 10_000))
			paid := post(w, authorization.PostingRequest{
				ID: "p1", AuthorizationID: "a1", Amount: issuingtest.Cents(10_000),
			})
			if paid.AccountID != 2002 {
				t.Errorf("booked on account %d", paid.AccountID)
			}
			_, err := w.Transfers.Post(ctx, from, authorization.PostingRequest{
				ID: "p2", AuthorizationID: "a1", CardID: 5001, AccountID: 2001,
				Kind: authorization.Purchase, Amount: issuingtest.Cents(1),
			})
			issuingtest.WantTransferError(t, err,
				transfers.TransferError{Detail: "The hold is on another account."})
			wantBalances(w, 2002, 10_000, 10_000)
		},
		"an increment belongs to its hold": func(_ *testing.T, w *issuingtest.World) {
			authorize(w, issuingtest.PurchaseRequest("a1", 10_000), authorization.Approved)
			reverse(w, "a2")
			authorize(w, increment("a2", "a1", 5000), authorization.Reversed)
			post(w, authorization.PostingRequest{
				ID: "p1", AuthorizationID: "a2", Amount: issuingtest.Cents(500),
			})
			wantBalances(w, 2002, 19_500, 9500)
		},
		"an increment of an increment makes the hold grow": func(_ *testing.T, w *issuingtest.World) {
			authorize(w, issuingtest.PurchaseRequest("a1", 10_000), authorization.Approved)
			reverse(w, "a2")
			authorize(w, increment("a2", "a1", 5000), authorization.Reversed)
			advise(w, increment("a3", "a2", 6000))
			wantBalances(w, 2002, 20_000, 4000)
		},
		"a final posting before the mark was forgotten": func(_ *testing.T, w *issuingtest.World) {
			reverse(w, "a1")
			post(w, authorization.PostingRequest{
				ID: "p1", AuthorizationID: "a1", Amount: issuingtest.Cents(500), AccountID: 2002,
			})
			w.Clock.Advance(authorization.MarkLife + 24*time.Hour)
			endHolds(w, 0)
			post(w, authorization.PostingRequest{
				ID: "p2", AuthorizationID: "a1", Amount: issuingtest.Cents(500), AccountID: 2002,
				NotFinal: true,
			})
			authorize(w, issuingtest.PurchaseRequest("a1", 10_000), authorization.Approved)
			authorize(w, issuingtest.PurchaseRequest("a2", 5000), authorization.Approved)
			w.Clock.Advance(authorization.HoldLife)
			endHolds(w, 2)
			wantBalances(w, 2002, 19_000, 19_000)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
				w.Spendable(1000, 20_000) // the second account pays
				run(t, w)
			})
		})
	}
}

// TestReversalOfAPostedIncrement reverses an increment of which more was posted than it had added.
// Its postings no longer count towards the hold, and nothing is refunded.
func TestReversalOfAPostedIncrement(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Spendable(20_000)
	authorize(w, issuingtest.PurchaseRequest("a1", 10_000), authorization.Approved)
	authorize(w, increment("a2", "a1", 5000), authorization.Approved)
	post(w, authorization.PostingRequest{
		ID: "p1", AuthorizationID: "a2", Amount: issuingtest.Cents(8000), NotFinal: true,
	})
	wantBalances(w, 2001, 12_000, 12_000-7000)
	r, err := w.Transfers.Reverse(t.Context(), issuingtest.ProcessorActor,
		authorization.ReversalRequest{
			ID: "r1", AuthorizationID: "a2", Amount: authorization.Everything, At: issuingtest.Start,
		})
	if err != nil || r.Result != authorization.NothingHeld {
		t.Errorf("the reversal is answered %s (%v)", r.Result, err)
	}
	wantBalances(w, 2001, 12_000, 2000)
}

func endHolds(w *issuingtest.World, want int) {
	w.TB.Helper()
	if ended, err := w.Transfers.EndHolds(w.TB.Context()); err != nil || ended != want {
		w.TB.Errorf("%d holds end (%v), want %d", ended, err, want)
	}
}
