package issuing_test

import (
	"testing"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// extender is a processor that gives a card another year, and changes nothing else of it.
type extender struct{ before card.Card }

func (e extender) Take(store.ProcessorOrder, card.Card, time.Time) card.Card {
	e.before.ExpireYear++
	return e.before
}

// TestSaveOfWhatTheAuditDoesNotShow holds that a card is stored for a change that its audit entry
// has no property for.
func TestSaveOfWhatTheAuditDoesNotShow(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	before := w.stored(verifiedCard)
	settings := w.Settings
	settings.Processor = extender{before}
	w.Service = issuing.New(w.store, w.keys, settings)
	w.must(w.Reissue(t.Context(), caller, reissuing(before, "DMG")))
	if after := w.stored(verifiedCard); after.ExpireYear != before.ExpireYear+1 {
		t.Errorf("the stored card expires in %d", after.ExpireYear)
	}
	entries := w.trail(verifiedCard)
	if last := entries[len(entries)-1]; last.Outcome != "changed" || last.After != "" {
		t.Errorf("the audit entry is %+v", last)
	}
}
