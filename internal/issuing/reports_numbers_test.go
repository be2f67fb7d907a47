package issuing_test

import (
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// TestReportedNumbers holds that a card number that the processor puts into the reason of a report
// is kept nowhere.
func TestReportedNumbers(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	made := w.newCard(nil)
	one := w.report(made, order.Refused)
	one.OrderID = w.ordersOf(made.ID)[0].PublicID()
	one.Reason = "the card 4000 0012 3456 7899 is known"
	w.apply(one)
	if again := w.apply(one)[0]; again.Result != order.Repeated || again.Reason != "" {
		t.Errorf("again: %+v", again)
	}
	w.view(func(r store.Tx) error {
		kept, err := r.Reports().Find(one.ID)
		all := fmt.Sprintf("%+v %+v %+v", kept, w.ordersOf(made.ID), w.trail(made.ID))
		if strings.Contains(all, "7899") || !strings.Contains(all, "the card *** is known") {
			t.Errorf("kept are %s", all)
		}
		return err
	})
}
