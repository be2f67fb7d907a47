package cards_test

import (
	"testing"

	"mintmark/internal/testkit/issuingtest"
)

// TestSaveOfWhatTheAuditDoesNotShow holds that a card is stored for a change that its audit entry
// has no property for: another order.
func TestSaveOfWhatTheAuditDoesNotShow(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	before := w.Stored(issuingtest.VerifiedCard)
	w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(before, "DMG")))
	w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(before, "DMG"))) // at the same moment
	if after := w.Stored(issuingtest.VerifiedCard); after.Orders != before.Orders+2 {
		t.Errorf("the stored card has %d orders", after.Orders)
	}
	entries := w.Trail(issuingtest.VerifiedCard)
	if last := entries[len(entries)-1]; last.Outcome != "unchanged" || last.After != "" {
		t.Errorf("the audit entry is %+v", last)
	}
	w.WantOrders(issuingtest.VerifiedCard, "card.remake done ", "card.remake done ")
}
