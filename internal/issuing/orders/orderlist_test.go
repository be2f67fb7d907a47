package orders_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/testkit/issuingtest"
)

// TestListOrdersOfProgram checks that a list of one program reads a bounded number of orders a
// page, and still reaches all of them. It is not parallel, because it sets the bound.
func TestListOrdersOfProgram(t *testing.T) {
	defer orders.WalkOrders(2)()
	w := issuingtest.NewProduction(t)
	for range 5 {
		w.NewCard(nil)
	}
	list := func(filter orders.OrderFilter) (ids []int, pages int) {
		page := issuing.Page{Limit: 4}
		for {
			listed, last, err := w.Orders.ListOrders(t.Context(), issuingtest.Clerk, filter, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range listed {
				ids = append(ids, o.ID)
			}
			pages++
			if last == "" {
				return ids, pages
			}
			page.After = last
		}
	}
	all, _ := list(orders.OrderFilter{})
	for _, row := range []struct {
		filter orders.OrderFilter
		pages  int
		want   []int
	}{
		{orders.OrderFilter{ProgramID: 1}, 3, all},
		{orders.OrderFilter{ProgramID: 1, State: string(order.Waiting)}, 2, all}, // by index
		{orders.OrderFilter{ProgramID: 1, State: string(order.Done)}, 3, nil},
	} {
		ids, pages := list(row.filter)
		if diff := cmp.Diff(row.want, ids); diff != "" || pages != row.pages || len(all) != 5 {
			t.Errorf("%+v: %d pages, want %d (-want +got):\n%s", row.filter, pages, row.pages, diff)
		}
	}
}
