package transfers_test

import (
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/testkit/issuingtest"
)

// TestSameLater checks that a repeated message gets its first response, even if it would be
// rejected now: the account is no longer on the card, and the program has fewer decimals.
func TestSameLater(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000, 10_000)
		first := authorize(w, issuingtest.PurchaseRequest("a1", 3050), authorization.Approved)
		m := authorization.PostingRequest{ID: "p1", AccountID: 2002, Amount: issuingtest.Cents(3050), Decimals: 2}
		posted := post(w, m)
		w.Spendable(6950)
		if again := post(w, m); again.AccountID != posted.AccountID {
			t.Errorf("posted again: %+v", again)
		}
		w.SetLimits(func(s *program.Settings) { s.DecimalCount = 1 })
		if again := authorize(w, issuingtest.PurchaseRequest("a1", 3050), authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		post(w, m)
	})
}

// TestFewerDigits lowers the decimalCount of the program. Earlier authorizations are booked.
func TestFewerDigits(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Spendable(10_000)
	ctx, from := t.Context(), issuingtest.ProcessorActor
	held := authorize(w, issuingtest.PurchaseRequest("a1", 1025), authorization.Approved)
	authorize(w, issuingtest.PurchaseRequest("a2", 3025), authorization.Approved)
	w.SetLimits(func(s *program.Settings) { s.DecimalCount = 0 })

	post(w, authorization.PostingRequest{
		ID: "p1", HoldID: held.HoldID, Amount: issuingtest.Cents(1025), Decimals: 2,
	})
	advice := authorization.AdviceRequest{
		Request: issuingtest.PurchaseRequest("a2", 2050), Decision: "approved", By: authorization.StandIn,
	}
	if _, err := w.Transfers.Advise(ctx, from, advice); err != nil {
		t.Error(err)
	}
	back := authorization.ReversalRequest{
		ID: "r1", AuthorizationID: "a2", Amount: issuingtest.Cents(25), At: issuingtest.Start,
	}
	if _, err := w.Transfers.Reverse(ctx, from, back); err != nil {
		t.Error(err)
	}
	post(w, authorization.PostingRequest{
		ID: "p2", AuthorizationID: "a2", Amount: issuingtest.Cents(1010), Decimals: 2, NotFinal: true,
	})
	wantBalances(w, 2001, 10_000-1025-1010, 10_000-1025-2025)

	tooFine := transfers.TransferError{
		Member: "amount", Detail: "has more decimal digits than the program's 0",
	}
	_, err := w.Transfers.Authorize(ctx, from, issuingtest.PurchaseRequest("a3", 1025))
	issuingtest.WantTransferError(t, err, tooFine)
	advice.ID = "a4"
	_, err = w.Transfers.Advise(ctx, from, advice)
	issuingtest.WantTransferError(t, err, tooFine)
}

// TestFewerDigitsLate posts authorizations from before decimalCount was lowered, after their hold
// has ended or without a hold. The decimals of the authorization are allowed, but not more.
func TestFewerDigitsLate(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		ctx, from := t.Context(), issuingtest.ProcessorActor
		held := authorize(w, issuingtest.PurchaseRequest("a1", 1025), authorization.Approved)
		authorize(w, issuingtest.PurchaseRequest("a2", 1000), authorization.Approved)
		advice := authorization.AdviceRequest{
			Request: issuingtest.PurchaseRequest("a2", 1125), Decision: "approved", By: authorization.StandIn,
		}
		if _, err := w.Transfers.Advise(ctx, from, advice); err != nil {
			t.Fatal(err)
		}
		authorize(w, issuingtest.PurchaseRequest("a3", 50_025), authorization.InsufficientFunds)
		authorize(w, issuingtest.PurchaseRequest("a4", 1000), authorization.Approved)
		w.Clock.Advance(authorization.HoldLife)
		if ended, err := w.Transfers.EndHolds(ctx); err != nil || ended != 3 {
			t.Errorf("%d holds end (%v), want 3", ended, err)
		}
		w.SetLimits(func(s *program.Settings) { s.DecimalCount = 0 })

		late := func(id, authorizationID, holdID string) authorization.PostingRequest {
			return authorization.PostingRequest{
				ID: id, AuthorizationID: authorizationID, HoldID: holdID, CardID: 5001,
				Kind: authorization.Purchase, Amount: issuingtest.Cents(1025), Decimals: 2,
			}
		}
		post(w, late("p1", "", held.HoldID))
		post(w, late("p2", "a1", ""))
		post(w, late("p3", "a2", "")) // with the decimals of the advice
		post(w, late("p4", "a3", ""))
		whole := late("p7", "a4", "") // written with two decimals, though it needs none
		whole.Amount = issuingtest.Cents(1000)
		post(w, whole)
		wantBalances(w, 2001, 10_000-4*1025-1000, 10_000-4*1025-1000)
		for _, m := range []authorization.PostingRequest{late("p5", "a4", ""), late("p6", "", "")} {
			_, err := w.Transfers.Post(ctx, from, m)
			issuingtest.WantTransferError(t, err, transfers.TransferError{
				Member: "amount", Detail: "has more decimal digits than the program's 0",
			})
		}
	})
}
