package console

import (
	"context"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/order"
)

func orderRows() []row {
	return []row{
		page("orders", "orders", "plotted", showOrders),
		page("orders/{id}", "orders", "order", showOrder),
	}
}

// listWithReport returns a list page that also links to the daily order report.
func listWithReport(at string) func(context.Context, *visit) (listPage, error) {
	return func(ctx context.Context, v *visit) (listPage, error) {
		shown, err := pagesAt(at).list(ctx, v)
		if v.Program != nil {
			shown.More = crumb{"Daily order report", v.To("order-report")}
		}
		return shown, err
	}
}

// showOrders lists orders, below charts of the queue.
func showOrders(ctx context.Context, v *visit) (listPage, error) {
	shown, err := listWithReport("orders")(ctx, v)
	if err != nil {
		return shown, err
	}
	shown.plotted, err = v.plots(ctx, v.queryOfProgram(), "orders", "orderAge")
	return shown, err
}

// orderEvents are the acts on an order, by name.
var orderEvents = map[string]order.Event{
	"retry": order.Retry, "hold": order.Hold, "release": order.Release, "drop": order.Drop,
}

// isPossible reports whether the state of an order allows an act.
func isPossible(o wire.Order, act string) bool {
	return o.Dropped == nil && slices.ContainsFunc(order.Transitions,
		func(t order.Transition) bool {
			return string(t.From) == o.State && t.Event == orderEvents[act]
		})
}

// orderLine is an order in a report.
type orderLine struct {
	wire.Order
	Mark mark
}

func orderMark(o wire.Order) mark {
	if o.Dropped != nil {
		return state("order", "dropped")
	}
	return state("order", o.State)
}

// orderPage is an order with its latest attempts, newest first.
type orderPage struct {
	itemPage
	Next  string // what ends an order that was sent, or why it cannot be sent again
	Tries []triedOrder
}

type triedOrder struct {
	Mark         mark
	At           moment
	Node, Answer string
}

// showOrder shows an order with the acts that its state allows.
func showOrder(ctx context.Context, v *visit) (orderPage, error) {
	p := pagesAt("orders")
	o, err := readNamed[wire.Order](ctx, v, p.Item)
	if err != nil {
		return orderPage{}, err
	}
	shown := orderPage{itemPage: p.page(v, o)}
	shown.Acts = slices.DeleteFunc(shown.Acts, func(act offered) bool {
		return !isPossible(o, act.Name)
	})
	retry := func(act offered) bool { return act.Name == "retry" }
	if o.State == string(order.Failed) && slices.ContainsFunc(shown.Acts, retry) {
		// The order is shown even if the dry run fails.
		trial, err := p.try(ctx, v, p.Act("retry"), 0)
		if err == nil && trial != nil && trial.NotNow != "" { // such as for a card that has ended
			shown.Acts, shown.Next = slices.DeleteFunc(shown.Acts, retry), trial.NotNow
		}
	}
	switch {
	case o.State == string(order.Sent) && o.File != 0:
		shown.Next = "The order is in a file that the processor has not fetched yet."
	case o.State == string(order.Sent):
		since := ""
		for _, try := range o.Tries {
			if try.Outcome == string(order.TryAccepted) {
				since = ", sent " + v.Ago(try.At)
			}
		}
		shown.Next = "The processor has the order" + since + ". Its report will say how it ended. " +
			"If none comes, ask the processor. You can retry the order: the processor ignores " +
			"duplicates."
	}
	for _, try := range slices.Backward(o.Tries) {
		shown.Tries = append(shown.Tries, triedOrder{
			state("try", try.Outcome), v.When(try.At), try.Node, try.Answer,
		})
	}
	return shown, nil
}

// offered is an act that a page offers.
type offered struct {
	Name, Label, To string
	Risky           bool
}
