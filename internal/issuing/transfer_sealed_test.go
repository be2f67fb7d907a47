package issuing_test

import (
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing/transfers"
)

// seal encrypts a text to the key of the service, as the processor does.
func (w *world) seal(text string) string {
	w.t.Helper()
	set, err := w.Transfers.ProcessorKeySet()
	if err != nil {
		w.t.Fatal(err)
	}
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(set, &keys); err != nil || len(keys.Keys) != 1 {
		w.t.Fatalf("the set is %s (%v)", set, err)
	}
	encrypter, err := jose.NewEncrypter(jose.A256GCM,
		jose.Recipient{Algorithm: jose.RSA_OAEP_256, Key: keys.Keys[0]}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	message, err := encrypter.Encrypt([]byte(text))
	if err != nil {
		w.t.Fatal(err)
	}
	sealed, err := message.CompactSerialize()
	if err != nil {
		w.t.Fatal(err)
	}
	return sealed
}

// TestSealedNumber names the card by its number. Sealed again, it is the same body.
func TestSealedNumber(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, w *world) {
		w.spendable(10_000)
		asked := asking("a1", 3000)
		asked.CardID, asked.Sealed = 0, w.seal(`{"number":"`+w.number(5001)+`"}`)
		first := w.authorize(asked, authorization.Approved)
		asked.Sealed = w.seal(`{"number":"` + w.number(5001) + `"}`)
		if again := w.authorize(asked, authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		w.wantBalances(2001, 10_000, 7000)
		asked.Sealed = w.seal(`{"number":"` + w.number(5002) + `"}`)
		_, err := w.Transfers.Authorize(t.Context(), processorActor, asked)
		wantTransferError(t, err, transfers.TransferError{
			Detail: "The authorizationId was used with another body.",
		})
		asked.ID = "a2"
		w.authorize(asked, authorization.Locked)
		asked.ID, asked.Sealed = "a3", "none"
		_, err = w.Transfers.Authorize(t.Context(), processorActor, asked)
		wantTransferError(t, err, transfers.TransferError{
			Member: "sealed",
			Detail: "holds no card number encrypted to the key of this service",
		})
	})
}
