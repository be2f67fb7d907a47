package transfers_test

import (
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/importer"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// imported is the id of a card created elsewhere.
const imported = 7001

var importedNumber = func() string {
	body := "400551900000002"
	return body + string(pan.CheckDigit(body))
}()

// importCard imports the card.
func importCard(w *issuingtest.World) {
	w.TB.Helper()
	file, err := importer.SpoolRows("cards.ndjson", w.TB.TempDir(), strings.NewReader(fmt.Sprintf(
		`{"source":"old platform","programId":1,"sequence":1}
{"number":"%s","cardId":%d,"expireMonth":3,"expireYear":2031,"customerId":1001,`+
			`"accounts":[{"accountId":2001,"priority":1}],"typeCode":"DBT","vendorTypeCode":"VS",`+
			`"status":"Verified","tag":"old","nickName":"old","firstName":"Ada","lastName":"Example",`+
			`"createdDate":"2024-03-14T09:30:00Z","verifiedDate":"2024-03-20T17:05:00Z"}
`, importedNumber, imported)), -1)
	if err != nil {
		w.TB.Fatal(err)
	}
	report, err := feed.ImportCards(w.TB.Context(), w.Store, file, w.Vault,
		feed.Options{Actor: issuingtest.JobOf("import")})
	if err != nil || report.Imported() != 1 {
		w.TB.Fatalf("the import: %+v, %v", report, err)
	}
	if err := file.Close(); err != nil {
		w.TB.Error(err)
	}
}

// TestImportedCard sends messages before the import of their card, and follow-ups after it: the
// card is then known, however the earlier message named it.
func TestImportedCard(t *testing.T) {
	t.Parallel()
	ctx, from := t.Context(), issuingtest.ProcessorActor
	for name, sealed := range map[string]bool{"cardId": false, "sealed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewProduction(t)
			w.Spendable(10_000)
			asking := func(id string) authorization.Request {
				a := issuingtest.PurchaseRequest(id, 1000)
				if a.CardID = imported; sealed {
					a.CardID, a.Sealed = 0, w.Seal(`{"number":"`+importedNumber+`"}`)
				}
				return a
			}
			advise := func(a authorization.Request) transfers.Advice {
				t.Helper()
				advice, err := w.Transfers.Advise(ctx, from, authorization.AdviceRequest{
					Request: a, Decision: "approved", By: authorization.StandIn,
				})
				if err != nil {
					t.Errorf("the advice of %s: %v", a.ID, err)
				}
				return advice
			}
			for _, id := range []string{"advised", "posted", "grown"} {
				authorize(w, asking(id), authorization.UnknownCard)
			}
			advise(asking("asked late"))
			importCard(w)

			advice := advise(asking("advised"))
			if advice.HoldID == "" || advice.AccountID != 2001 ||
				advice.WouldHave != authorization.UnknownCard {
				t.Errorf("the advice is answered %+v", advice)
			}
			authorize(w, asking("asked late"), authorization.UnknownCard)
			for i, id := range []string{"posted", "asked late"} {
				post(w, authorization.PostingRequest{
					ID: fmt.Sprint("p", i), AuthorizationID: id, CardID: imported,
					Amount: issuingtest.Cents(300),
				})
			}
			more := asking("more")
			more.IncrementOf = "grown"
			advise(more)
			grown := advise(asking("grown"))

			var held [2]authorization.Hold
			w.View(func(r store.Tx) error {
				for i, id := range []string{advice.HoldID, grown.HoldID} {
					hold, err := r.Holds().FindView(id)
					if err != nil {
						return err
					}
					held[i] = hold.Hold
				}
				return nil
			})
			for i, amount := range []int64{1000, 2000} {
				if h := held[i]; h.ProgramID != 1 || h.CustomerID != 1001 || h.CardID != imported ||
					h.Amount != issuingtest.Cents(amount) {
					t.Errorf("the hold is %+v", h)
				}
			}
			w.Clock.Advance(authorization.HoldLife)
			if ended, err := w.Transfers.EndHolds(ctx); err != nil || ended != len(held) {
				t.Errorf("%d holds end: %v", ended, err)
			}
			wantBalances(w, 2001, 9400, 9400)
		})
	}
}

// TestUnknownCardStaysAnother checks that an authorization of an unknown card does not belong to
// any other card.
func TestUnknownCardStaysAnother(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Spendable(10_000)
	a := issuingtest.PurchaseRequest("a1", 1000)
	a.CardID = imported
	authorize(w, a, authorization.UnknownCard)
	_, err := w.Transfers.Advise(t.Context(), issuingtest.ProcessorActor, authorization.AdviceRequest{
		Request: issuingtest.PurchaseRequest("a1", 1000), Decision: "approved", By: authorization.StandIn,
	})
	issuingtest.WantTransferError(t, err, transfers.TransferError{
		Detail: "The authorization is of another card.",
	})
}
