package cli

import (
	"context"

	"mintmark/client/admin"
)

// Operator are the commands that only a service can do.
type Operator struct {
	List   operatorList   `cmd:"" help:"List operators."`
	Get    operatorGet    `cmd:"" help:"Print an operator."`
	Update operatorUpdate `cmd:"" help:"Change the roles or the banks of an operator."`
	End    operatorEnd    `cmd:"" help:"Keep an operator from signing in, for ever."`
}

// rights are what an operator or a token may do.
type rights struct {
	Role []string `required:"" placeholder:"ROLE" help:"Role: support, configurator, security, auditor or administrator. May be repeated."`
	Bank []int    `placeholder:"ID" help:"Bank that is in scope; all banks when left out. May be repeated."`
	Name string   `arg:"" help:"Name to sign in with, or of the token."`
}

func (r rights) body() body {
	return body{"name": r.Name, "roles": r.Role, "allBanks": len(r.Bank) == 0}.
		with("banks", r.Bank)
}

// operatorList lists operators.
type operatorList struct {
	Listing
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the name." group:"Filter"`
}

func (operatorList) Help() string { return "mintmark operator list" }

func (o operatorList) Run(ctx context.Context, t Terminal) error {
	return o.list(ctx, t, "operators", query("q", o.Q), columns[admin.Operator]("id", "name",
		"roles", "allBanks", "banks", "state", "signsInBy", "lastSignIn", "revision"))
}

// oneOperator is an operator.
type oneOperator struct {
	ID int `arg:"" help:"Number of the operator."`
}

// operatorGet prints an operator.
type operatorGet struct {
	Remote
	oneOperator
}

func (operatorGet) Help() string { return "mintmark operator get 1" }

func (o operatorGet) Run(ctx context.Context, t Terminal) error {
	return o.get(ctx, t, path("operators", o.ID))
}

// OperatorCreate asks a service to invite somebody.
type OperatorCreate struct {
	Making
	rights
}

// Run sends the request to the service, and prints the answer with its secret part.
func (o OperatorCreate) Run(ctx context.Context, t Terminal) error {
	return o.post(ctx, t, "operators", o.rights.body())
}

// Invite has a service make another link for an operator.
func (c Change) Invite(ctx context.Context, t Terminal, id int) error {
	return c.act(ctx, t, path("operators", id, "invite"), body{})
}

// operatorUpdate changes an operator.
type operatorUpdate struct {
	oneOperator
	Update
}

func (operatorUpdate) Help() string {
	return `mintmark operator update 2 --set roles='["support","auditor"]' --reason "new duties"`
}

func (o operatorUpdate) Run(ctx context.Context, t Terminal) error {
	return o.update(ctx, t, path("operators", o.ID), resource{})
}

// operatorEnd ends an operator.
type operatorEnd struct {
	Change
	oneOperator
}

func (operatorEnd) Help() string { return `mintmark operator end 3 --reason "has left the bank"` }

func (o operatorEnd) Run(ctx context.Context, t Terminal) error {
	return o.act(ctx, t, path("operators", o.ID, "end"), body{})
}
