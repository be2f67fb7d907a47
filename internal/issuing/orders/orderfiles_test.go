package orders_test

import (
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
	"mintmark/internal/testkit/issuingtest"
)

// TestFileFetched holds that an order in a file is sent, and acknowledged only when the file is
// fetched: one of a kind that no report follows from is done then.
func TestFileFetched(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	if _, err := w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(issuing.CardRef{
		CustomerID: 1001, CardID: issuingtest.VerifiedCard,
	}, "TMP")); err != nil {
		t.Fatal(err)
	}
	created, lock := w.OrdersOf(c.ID)[0], w.OrdersOf(issuingtest.VerifiedCard)[0]
	for number, o := range map[int]order.Order{7: created, 8: lock} {
		err := w.Orders.SettleOrder(t.Context(), orders.ClaimedOrder{Order: o},
			processor.Answer{Outcome: processor.Accepted, File: number}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	wants := func(acknowledged int, files ...int) {
		t.Helper()
		ids, err := w.Orders.UnfetchedFiles(t.Context())
		if err != nil || !slices.Equal(ids, files) {
			t.Errorf("unfetched are %v, %v, want %v", ids, err, files)
		}
		got := 0
		report, err := w.Orders.ReportOrders(t.Context(), issuingtest.Clerk, 1, issuing.Span{
			From: issuingtest.Start.Add(-time.Hour), To: issuingtest.Start.Add(time.Hour),
		})
		for _, line := range report.Lines {
			got += line.Acknowledged()
		}
		if err != nil || got != acknowledged {
			t.Errorf("%d are acknowledged, want %d: %+v, %v", got, acknowledged, report, err)
		}
	}
	wants(0, 7, 8)
	for i, number := range []int{9, 8, 7} {
		if err := w.Orders.FileFetched(t.Context(), number); err != nil {
			t.Fatal(err)
		}
		wants(i, [][]int{{7, 8}, {7}, nil}[i]...)
	}
	wantOrder(w, created, order.Sent, "")
	wantOrder(w, lock, order.Done, "")
}
