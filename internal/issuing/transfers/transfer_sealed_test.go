package transfers_test

import (
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/testkit/issuingtest"
)

// TestSealedNumber names the card by its number. Sealed again, it is the same body.
func TestSealedNumber(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		a := issuingtest.Asking("a1", 3000)
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
