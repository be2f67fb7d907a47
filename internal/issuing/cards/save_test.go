package cards_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/testkit/issuingtest"
)

// TestSaveOfWhatTheAuditDoesNotShow checks that a card is stored for a change that its audit entry
// has no property for: another order.
func TestSaveOfWhatTheAuditDoesNotShow(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	before := w.Stored(issuingtest.VerifiedCard)
	w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(before, "DMG")))
	w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(before, "DMG"))) // simultaneous
	if after := w.Stored(issuingtest.VerifiedCard); after.Orders != before.Orders+2 {
		t.Errorf("the stored card has %d orders", after.Orders)
	}
	entries := w.Trail(issuingtest.VerifiedCard)
	if last := entries[len(entries)-1]; last.Outcome != "unchanged" || last.After != "" {
		t.Errorf("the audit entry is %+v", last)
	}
	w.WantOrders(issuingtest.VerifiedCard, "card.remake done ", "card.remake done ")
}

// TestActsBeforeCreated checks that a card can be locked whose creation date is ahead of the clock,
// which was set back.
func TestActsBeforeCreated(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		c := w.InStatus(w.NewCard(nil), card.Verified)
		ref := issuing.CardRef{CustomerID: c.CustomerID, CardID: c.ID}
		w.Clock.Advance(-time.Hour)
		temporary := issuingtest.LockRequest(ref, "TMP")
		w.Must(w.Cards.Lock(t.Context(), issuingtest.Caller, temporary))
		w.Must(w.Cards.Unlock(t.Context(), issuingtest.Caller, ref))
		w.Must(w.Cards.Hotlist(t.Context(), issuingtest.Caller, issuingtest.LockRequest(ref, "STL")))
		if after := w.Stored(c.ID); !after.Modified.Equal(c.Created) {
			t.Errorf("the card is modified %v, want %v", after.Modified, c.Created)
		}
		w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "STL")))
	})
}
