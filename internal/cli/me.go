package cli

import "context"

// meCommand prints who asks.
type meCommand struct{ Remote }

func (meCommand) Help() string { return "mintmark me" }

func (m meCommand) Run(ctx context.Context, t Terminal) error { return m.get(ctx, t, "me") }

// overviewCommand prints the state of the service.
type overviewCommand struct{ Remote }

func (overviewCommand) Help() string { return "mintmark overview" }

func (o overviewCommand) Run(ctx context.Context, t Terminal) error {
	return o.get(ctx, t, "overview")
}
