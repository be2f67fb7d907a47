package cli

import (
	"context"

	"mintmark/client/admin"
)

// eventCommands are the commands on events.
type eventCommands struct {
	List eventList `cmd:"" help:"List events, newest first."`
	Get  eventGet  `cmd:"" help:"Print an event as it is sent."`
}

// eventList lists events.
type eventList struct {
	Listing
	Program int    `required:"" placeholder:"ID" help:"Of a program." group:"Filter"`
	Type    string `placeholder:"TYPE" help:"Of a type, such as card.locked." group:"Filter"`
}

func (eventList) Help() string { return "mintmark event list --program 1" }

func (e eventList) Run(ctx context.Context, t Terminal) error {
	return e.list(ctx, t, "events", query("programId", e.Program, "type", e.Type),
		columns[admin.Event]("sequence", "at", "type", "programId", "customerId", "cardId", "id"))
}

// eventGet prints an event.
type eventGet struct {
	Remote
	Sequence int `arg:"" help:"Sequence of the event."`
}

func (eventGet) Help() string { return "mintmark event get EVENT" }

func (e eventGet) Run(ctx context.Context, t Terminal) error {
	return e.get(ctx, t, path("events", e.Sequence))
}
