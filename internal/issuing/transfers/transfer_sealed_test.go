package transfers_test

import (
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestSealedNumber names the card by its number. With the number encrypted again, the body counts
// as the same.
func TestSealedNumber(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		a := issuingtest.PurchaseRequest("a1", 3000)
		a.CardID, a.Sealed = 0, w.Seal(`{"number":"`+w.Number(5001)+`"}`)
		first := authorize(w, a, authorization.Approved)
		a.Sealed = w.Seal(`{"number":"` + w.Number(5001) + `"}`)
		if again := authorize(w, a, authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		wantBalances(w, 2001, 10_000, 7000)
		a.Sealed = w.Seal(`{"number":"` + w.Number(5002) + `"}`)
		_, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, a)
		issuingtest.WantTransferError(t, err, transfers.TransferError{
			Detail: "The authorizationId was used with another body.",
		})
		a.ID = "a2"
		authorize(w, a, authorization.Locked)
		a.ID, a.Sealed = "a3", "none"
		_, err = w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, a)
		issuingtest.WantTransferError(t, err, transfers.TransferError{
			Member: "sealed",
			Detail: "holds no card number encrypted to the key of this service",
		})
	})
}

// TestSealedNumberAfterMove repeats messages that were stored under the digest key of another
// installation.
func TestSealedNumberAfterMove(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		seal := func(request authorization.Request, cardID int) authorization.Request {
			request.CardID, request.Sealed = 0, w.Seal(`{"number":"`+w.Number(cardID)+`"}`)
			return request
		}
		ask := seal(issuingtest.PurchaseRequest("a1", 3000), 5001)
		told := authorization.AdviceRequest{
			Request: seal(issuingtest.PurchaseRequest("a2", 1000), 5001), Decision: "approved",
			By: authorization.StandIn,
		}
		first := authorize(w, ask, authorization.Approved)
		advised, err := w.Transfers.Advise(t.Context(), issuingtest.ProcessorActor, told)
		if err != nil {
			t.Fatal(err)
		}
		w.Update(func(tx store.Tx) error {
			for _, id := range []string{"a1", "a2"} {
				a, err := tx.Authorizations().Find(id)
				if err != nil {
					return err
				}
				a.Digest, a.Advice.Digest = []byte("other"), []byte("other")
				if err := tx.Authorizations().Change(a); err != nil {
					return err
				}
			}
			return nil
		})
		if again := authorize(w, ask, authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		again, err := w.Transfers.Advise(t.Context(), issuingtest.ProcessorActor, told)
		if err != nil || again != advised {
			t.Errorf("again: %+v, %v, want %+v", again, err, advised)
		}
		used := transfers.TransferError{Detail: "The authorizationId was used with another body."}
		for _, other := range []struct {
			cardID int
			more   int64
		}{{5002, 0}, {5001, 1}} {
			request := seal(issuingtest.PurchaseRequest("a1", 3000+other.more), other.cardID)
			_, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, request)
			issuingtest.WantTransferError(t, err, used)
			told.Request = seal(issuingtest.PurchaseRequest("a2", 1000+other.more), other.cardID)
			_, err = w.Transfers.Advise(t.Context(), issuingtest.ProcessorActor, told)
			issuingtest.WantTransferError(t, err, used)
		}
	})
}
