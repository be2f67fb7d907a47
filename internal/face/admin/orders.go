package admin

import (
	"context"
	"fmt"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
)

func (d *Desk) orders() *Resource {
	return &Resource{
		Noun: "order", Path: "orders", Item: "orders/{id}",
		ID:    Param{Name: "id", Help: "Identifier of the order."},
		Help:  "Orders to the card processor.",
		Nav:   Nav{"Issuing", "Orders"},
		Empty: "An order tells the card processor of a new, locked, replaced or changed card.",
		Roles: operator.Roles{operator.Support, operator.Configurator},
		Columns: []string{
			"id", "programId", "cardId", "sequence", "kind", "state", "urgent", "attempts",
			"created", "nextTry", "lastError",
		},
		Fields: []Field{
			{Name: "kind", Label: "Kind", On: Shown},
			{Name: "cardId", Label: "Card", On: Shown},
			{Name: "sequence", Label: "Sequence of the card", On: Shown,
				Help: "The orders of a card are sent in this order."},
			{Name: "state", Label: "State", On: Shown,
				Help: "waiting, sent, done, failed or held"},
			{Name: "urgent", Label: "Urgent", On: Shown},
			{Name: "attempts", Label: "Attempts", On: Shown},
			{Name: "lastError", Label: "Last error", On: Shown},
			{Name: "created", Label: "Created", On: Shown},
			{Name: "nextTry", Label: "Next attempt", On: Shown},
			{Name: "ended", Label: "Ended", On: Shown},
			{Name: "file", Label: "Waits in file", On: Shown, Help: "Until it is fetched."},
			{Name: "id", Label: "Identifier", On: Shown},
			{Name: "dropped", Label: "Dropped", On: Shown},
			{Name: "tries", Label: "Latest attempts", On: WireOnly | Shown, Help: fmt.Sprintf(
				"The last %d; none if the first did the order.", order.MaxTries)},
		},
		List: list(Op{
			Summary: "List orders to the card processor, the newest first",
			Help: "For a program, and for dropped orders, a page looks at 100,000 orders and " +
				"may be short: `next` continues after them.",
			Example: "mintmark order list --state waiting",
			Filters: append([]Field{
				{Name: "programId", Label: "Program", Help: "orders of a program"},
				{Name: "cardId", Label: "Card", Help: "orders about a card"},
				{Name: "state", Label: "State", Help: "waiting, sent, done, failed, held or dropped",
					Choices: []Choice{
						{Value: "waiting", Label: "Waiting"},
						{Value: "sent", Label: "Sent, awaiting result"},
						{Value: "held", Label: "Held back"}, {Value: "failed", Label: "Failed"},
						{Value: "done", Label: "Done"}, {Value: "dropped", Label: "Dropped"},
					}},
			}, spanned...),
		}, d.listOrders),
		Show: get(Op{Summary: "Read an order", Example: "mintmark order get ORDER"}, d.readOrder),
		Acts: []*Op{
			act(Op{
				Name: "retry", Summary: "Send an order again at once", Many: true,
				Example: `mintmark order retry ORDER --reason "the processor is back"`,
				Button:  "Retry order {id}",
				Effect: "The order is sent again at once. Safe to retry: the processor ignores " +
					"duplicates. An order to make a card that has ended is refused.",
				Effects: "The orders are sent again at once. Safe to retry: the processor ignores " +
					"duplicates. Orders to make cards that have ended are refused.",
			}, d.actOnOrder("retry")),
			act(Op{
				Name:     "hold",
				Summary:  "Hold back an order and the later orders of its card",
				Example:  `mintmark order hold ORDER --reason "the address is in doubt"`,
				FourEyes: true, Many: true, Button: "Hold order {id} back",
				Effect:  "The order and the later orders of its card are not sent.",
				Effects: "The orders and the later orders of their cards are not sent.",
			}, d.actOnOrder("hold")),
			act(Op{
				Name: "release", Summary: "Release a held order", Many: true,
				Example: `mintmark order release ORDER --reason "the address was confirmed"`,
				Button:  "Release order {id}",
				Effect:  "The order is sent at once.",
				Effects: "The orders are sent at once.",
			}, d.actOnOrder("release")),
			act(Op{
				Name: "drop", Summary: "Drop an order permanently", Risky: true, Many: true,
				Example:  `mintmark order drop ORDER --reason "settled by telephone"`,
				FourEyes: true, Button: "Drop order {id} for good",
				Effect: "The order will not be sent, so the processor's record of the card " +
					"may differ from ours. An order that was sent or tried may be known to the " +
					"processor, which then carries it out: ask the processor to cancel it.",
				Effects: "The orders will not be sent, so the processor's records of the " +
					"cards may differ from ours. Those that were sent or tried may be known to the " +
					"processor, which then carries them out: ask the processor to cancel them.",
			}, d.actOnOrder("drop")),
		},
	}
}

func (d *Desk) listOrders(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Order, string, error) {
	return convertAll(showOrder)(d.acts.Orders.ListOrders(ctx, c.who, orders.OrderFilter{
		ProgramID: c.number("programId"), CardID: c.number("cardId"),
		State: c.query.Get("state"), Span: c.span(),
	}, page))
}

func (d *Desk) readOrder(ctx context.Context, c *call) (wire.Order, error) {
	return convert(showTries)(d.acts.Orders.FindOrder(ctx, c.who, c.params["id"]))
}

func (d *Desk) actOnOrder(
	name string,
) func(ctx context.Context, c *call, _ wire.PlainAct) (wire.Order, error) {
	return func(ctx context.Context, c *call, _ wire.PlainAct) (wire.Order, error) {
		return convert(showOrder)(
			d.acts.Orders.ActOnOrder(ctx, c.who, c.params["id"], c.revision, name))
	}
}
