package issuing_test

import (
	"testing"
)

// TestSaveOfWhatTheAuditDoesNotShow holds that a card is stored for a change that its audit entry
// has no property for: another order.
func TestSaveOfWhatTheAuditDoesNotShow(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	before := w.stored(verifiedCard)
	w.must(w.Cards.Reissue(t.Context(), caller, reissuing(before, "DMG")))
	w.must(w.Cards.Reissue(t.Context(), caller, reissuing(before, "DMG"))) // at the same moment
	if after := w.stored(verifiedCard); after.Orders != before.Orders+2 {
		t.Errorf("the stored card has %d orders", after.Orders)
	}
	entries := w.trail(verifiedCard)
	if last := entries[len(entries)-1]; last.Outcome != "unchanged" || last.After != "" {
		t.Errorf("the audit entry is %+v", last)
	}
	w.wantOrders(verifiedCard, "card.remake done ", "card.remake done ")
}
