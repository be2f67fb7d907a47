package cli

import "context"

// rights holds the flags for the rights of an operator or a token.
type rights struct {
	Role []string `required:"" placeholder:"ROLE" help:"Role: support, configurator, security, auditor or administrator. May be repeated."`
	Bank []int    `placeholder:"ID" help:"Bank that is in scope; all banks when left out. May be repeated."`
	Name string   `arg:"" help:"Name to sign in with, or of the token."`
}

func (r rights) body() body {
	return body{"name": r.Name, "roles": r.Role, "allBanks": len(r.Bank) == 0}.
		with("banks", r.Bank)
}

// OperatorCreate invites an operator to a service.
type OperatorCreate struct {
	CreateFlags
	rights
}

// Run sends the request and prints the response with the invitation link.
func (o OperatorCreate) Run(ctx context.Context, t Terminal) error {
	return o.post(ctx, t, "operators", o.rights.body())
}

// Invite requests a new link for an operator.
func (c Change) Invite(ctx context.Context, t Terminal, id int) error {
	return c.act(ctx, t, path("operators", id, "invite"), body{})
}
