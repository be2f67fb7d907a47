package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
)

func (f *Face) orderRoutes() []*Op {
	roles := operator.Roles{operator.Support, operator.Configurator}
	one := func(name, summary string) *Op {
		return act(Op{
			Path: "orders/{id}/" + name, Summary: summary, Roles: roles,
		}, f.actOnOrder(name))
	}
	stop := func(name, summary string) *Op {
		return fourEyes(one(name, summary))
	}
	return []*Op{
		list(Op{
			Path: "orders", Summary: "List orders to the card processor, the newest first",
			Roles: roles, Filters: []Field{
				{Name: "programId", Help: "orders of a program"},
				{Name: "cardId", Help: "orders about a card"},
				{Name: "state", Help: "waiting, sent, done, failed or held"},
			},
		}, f.listOrders),
		get(Op{Path: "orders/{id}", Summary: "Read an order", Roles: roles}, f.readOrder),
		one("retry", "Send an order again at once"),
		stop("hold", "Keep an order, and those of its card behind it, from being sent"),
		one("release", "Let a held order be sent"),
		stop("drop", "Give an order up for good"),
	}
}

func (f *Face) listOrders(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Order, string, error) {
	programID, err := c.queryNumber("programId")
	if err != nil {
		return nil, "", err
	}
	cardID, err := c.queryNumber("cardId")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.Orders.ListOrders(ctx, c.who, orders.OrderFilter{
		ProgramID: programID, CardID: cardID, State: c.query.Get("state"),
	}, page)
	return forms(found, showOrder), last, err
}

func (f *Face) readOrder(ctx context.Context, c *call) (wire.Order, error) {
	found, err := f.acts.Orders.FindOrder(ctx, c.who, c.params["id"])
	if err != nil {
		return wire.Order{}, err
	}
	return showOrder(found), nil
}

func (f *Face) actOnOrder(
	name string,
) func(ctx context.Context, c *call, _ wire.PlainAct) (wire.Order, error) {
	return func(ctx context.Context, c *call, _ wire.PlainAct) (wire.Order, error) {
		changed, err := f.acts.Orders.ActOnOrder(ctx, c.who, c.params["id"], c.revision, name)
		if err != nil {
			return wire.Order{}, err
		}
		return showOrder(changed), nil
	}
}
