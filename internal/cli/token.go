package cli

import (
	"context"
	"time"

	"mintmark/client/admin"
)

// Token are the commands that only a service can do.
type Token struct {
	List   tokenList   `cmd:"" help:"List tokens."`
	Get    tokenGet    `cmd:"" help:"Print a token, without its text."`
	Revoke tokenRevoke `cmd:"" help:"End a token for ever."`
}

// tokenList lists tokens.
type tokenList struct {
	Listing
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the name." group:"Filter"`
}

func (tokenList) Help() string { return "mintmark token list" }

func (k tokenList) Run(ctx context.Context, t Terminal) error {
	return k.list(ctx, t, "tokens", query("q", k.Q), columns[admin.Token]("id", "name", "roles",
		"allBanks", "banks", "owner", "state", "expires", "lastUsed"))
}

// oneToken is a token.
type oneToken struct {
	ID int `arg:"" help:"Number of the token."`
}

// tokenGet prints a token.
type tokenGet struct {
	Remote
	oneToken
}

func (tokenGet) Help() string { return "mintmark token get 1" }

func (k tokenGet) Run(ctx context.Context, t Terminal) error {
	return k.get(ctx, t, path("tokens", k.ID))
}

// TokenCreate asks a service for another one.
type TokenCreate struct {
	Making
	rights
	Lasts time.Duration `placeholder:"DURATION" help:"How long it may be used, like 720h; without it, until it is revoked."`
}

// Run sends the request to the service, and prints the answer with its secret part.
func (k TokenCreate) Run(ctx context.Context, t Terminal) error {
	asked := k.rights.body()
	if k.Lasts != 0 {
		asked["expires"] = time.Now().Add(k.Lasts).UTC().Format(time.RFC3339)
	}
	return k.post(ctx, t, "tokens", asked)
}

// tokenRevoke ends a token.
type tokenRevoke struct {
	Change
	oneToken
}

func (tokenRevoke) Help() string { return `mintmark token revoke 2 --reason "no longer in use"` }

func (k tokenRevoke) Run(ctx context.Context, t Terminal) error {
	return k.act(ctx, t, path("tokens", k.ID, "revoke"), body{})
}
