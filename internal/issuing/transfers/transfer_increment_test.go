package transfers_test

import (
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/testkit/issuingtest"
)

// increment asks for an amount more on the hold of an authorization.
func increment(id, of string, amount int64) authorization.Request {
	a := issuingtest.Asking(id, amount)
	a.IncrementOf = of
	return a
}

// TestPostingOfDeclinedIncrement posts an increment that was declined. It is booked on the account of
// the hold, and the hold stands as it was.
func TestPostingOfDeclinedIncrement(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(1000, 20_000) // the second account pays
		first := authorize(w, issuingtest.Asking("a1", 10_000), authorization.Approved)
		authorize(w, increment("declined", "a1", 15_000), authorization.InsufficientFunds)
		balance := int64(20_000)
		for _, m := range []authorization.PostingRequest{
			{ID: "p1", AuthorizationID: "declined", NotFinal: true},
			{ID: "p2", AuthorizationID: "declined"},
			{ID: "p3", AuthorizationID: "declined"}, // again, behind a final one
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
// that it was approved. The hold is the same as if the advice had come first.
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
			authorize(w, issuingtest.Asking("a1", 10_000), authorization.Approved)
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
