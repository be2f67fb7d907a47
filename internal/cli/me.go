package cli

import (
	"context"

	"mintmark/client/admin"
)

// meCommand prints the owner of the token.
type meCommand struct{ Remote }

func (m meCommand) Run(ctx context.Context, t Terminal) error { return m.get(ctx, t, "me") }

// overviewCommand prints the state of the service.
type overviewCommand struct {
	Remote
	Program int `placeholder:"ID" help:"Only for this program."`
}

func (o overviewCommand) Run(ctx context.Context, t Terminal) error {
	return o.show(ctx, t, admin.Request{
		Method: "GET", Path: "overview", Query: query("programId", o.Program),
	})
}
