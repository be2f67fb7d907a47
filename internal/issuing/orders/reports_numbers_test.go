package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestReportedNumbers checks that a card number in the reason of a processor's report is not stored
// anywhere.
func TestReportedNumbers(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	refused := report(w, c, order.Refused)
	refused.OrderID = w.OrdersOf(c.ID)[0].PublicID()
	refused.Reason = "the card 4000 0012 3456 7899 is known"
	apply(w, refused)
	if again := apply(w, refused)[0]; again.Result != order.Repeated || again.Reason != "" {
		t.Errorf("again: %+v", again)
	}
	w.View(func(r store.Tx) error {
		kept, err := r.Reports().Find(refused.ID)
		all := fmt.Sprintf("%+v %+v %+v", kept, w.OrdersOf(c.ID), w.Trail(c.ID))
		if strings.Contains(all, "7899") || !strings.Contains(all, "the card *** is known") {
			t.Errorf("kept are %s", all)
		}
		return err
	})
}
