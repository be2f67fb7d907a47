package cli

import (
	"context"

	"mintmark/client/admin"
)

// orderCommands are the commands on orders to the card processor.
type orderCommands struct {
	List    orderList    `cmd:"" help:"List orders."`
	Get     orderGet     `cmd:"" help:"Print an order."`
	Retry   orderRetry   `cmd:"" help:"Send an order again at once."`
	Hold    orderHold    `cmd:"" help:"Keep an order, and those of its card behind it, from being sent."`
	Release orderRelease `cmd:"" help:"Let a held order be sent."`
	Drop    orderDrop    `cmd:"" help:"Give an order up for ever."`
}

// orderList lists orders.
type orderList struct {
	Listing
	Program int    `placeholder:"ID" help:"Of a program." group:"Filter"`
	Card    int    `placeholder:"ID" help:"About a card." group:"Filter"`
	State   string `placeholder:"STATE" help:"In a state, such as waiting or failed." group:"Filter"`
}

func (orderList) Help() string { return "mintmark order list --state waiting" }

func (o orderList) Run(ctx context.Context, t Terminal) error {
	return o.list(ctx, t, "orders", query("programId", o.Program, "cardId", o.Card,
		"state", o.State), columns[admin.Order]("id", "programId", "cardId", "sequence", "kind",
		"state", "urgent", "attempts", "created", "nextTry", "lastError"))
}

// oneOrder is an order.
type oneOrder struct {
	ID string `arg:"" help:"Identifier of the order."`
}

// orderGet prints an order.
type orderGet struct {
	Remote
	oneOrder
}

func (orderGet) Help() string { return "mintmark order get ORDER" }

func (o orderGet) Run(ctx context.Context, t Terminal) error {
	return o.get(ctx, t, path("orders", o.ID))
}

// orderRetry sends an order again.
type orderRetry struct {
	Change
	oneOrder
}

func (orderRetry) Help() string {
	return `mintmark order retry ORDER --reason "the processor is back"`
}

func (o orderRetry) Run(ctx context.Context, t Terminal) error {
	return o.act(ctx, t, path("orders", o.ID, "retry"), body{})
}

// orderHold holds an order.
type orderHold struct {
	Change
	oneOrder
}

func (orderHold) Help() string {
	return `mintmark order hold ORDER --reason "the address is in doubt"`
}

func (o orderHold) Run(ctx context.Context, t Terminal) error {
	return o.act(ctx, t, path("orders", o.ID, "hold"), body{})
}

// orderRelease releases an order.
type orderRelease struct {
	Change
	oneOrder
}

func (orderRelease) Help() string {
	return `mintmark order release ORDER --reason "the address was confirmed"`
}

func (o orderRelease) Run(ctx context.Context, t Terminal) error {
	return o.act(ctx, t, path("orders", o.ID, "release"), body{})
}

// orderDrop drops an order.
type orderDrop struct {
	Change
	oneOrder
}

func (orderDrop) Help() string {
	return `mintmark order drop ORDER --reason "settled by telephone"`
}

func (o orderDrop) Run(ctx context.Context, t Terminal) error {
	return o.act(ctx, t, path("orders", o.ID, "drop"), body{})
}
