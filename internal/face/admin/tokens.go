package admin

import (
	"context"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/operators"
)

func (d *Desk) personTokens() *Resource {
	return &Resource{
		Noun: "token", Path: "tokens", Item: "tokens/{id}",
		ID:    Param{Name: "id", Help: "Number of the token.", Number: true},
		Nav:   Nav{"People", "Tokens"},
		Empty: "Scripts and the command line need one to call this server.",
		Roles: peopleRoles,
		Columns: []string{
			"id", "name", "roles", "allBanks", "banks", "owner", "state", "expires", "lastUsed",
		},
		Fields: append([]Field{
			{Name: "name", Label: "Name", On: Creating, Required: true,
				Help: "Of the program that uses it; it appears in the audit log."},
			{Name: "expires", Label: "Ends", On: Creating, Help: "If left out, the settings decide."},
			{Name: "state", Label: "State", On: Shown,
				Help: "active, expired, revoked or ended with its owner"},
			{Name: "owner", Label: "Belongs to", On: Shown, Help: "A person, or load for the machine."},
			{Name: "created", Label: "Created", On: Shown},
			{Name: "lastUsed", Label: "Last used", On: Shown},
			{Name: "token", Label: "Token", On: Shown, Secret: true, Help: "Shown once."},
		}, rights...),
		List: list(Op{
			Summary: "List tokens", Example: "mintmark token list", Filters: byName,
		}, d.listTokens),
		Show: get(Op{Summary: "Read a token", Example: "mintmark token get 1"}, d.readToken),
		Create: create(Op{
			Summary: "Create a token", FourEyes: true, Reason: true, Button: "Create the token",
			Example: `mintmark token create watch --role auditor --lasts 720h --reason "monitoring"`,
			Title:   "Create a token", Once: []string{"token"},
			OnceHelp: "A program sends it as Authorization: Bearer, the command line reads it " +
				"from MINTMARK_TOKEN. Only a digest is stored; if it is lost, revoke it and " +
				"create another.",
		}, d.createToken),
		Acts: []*Op{
			act(Op{
				Name: "revoke", Summary: "Revoke a token permanently", FourEyes: true, Reason: true,
				Risky: true, Example: `mintmark token revoke 2 --reason "no longer in use"`,
				Button: "Revoke token {id} for good",
				Effect: "From now on every request with token {id} is refused.",
			}, d.revokeToken),
		},
	}
}

func (d *Desk) listTokens(
	ctx context.Context, c *call, page issuing.Page,
) (items []wire.Token, last string, err error) {
	tokenDetails, last, now, err := d.acts.Operators.ListTokens(ctx, c.who, c.query.Get("q"), page)
	for _, detail := range tokenDetails {
		items = append(items, showToken(detail, now))
	}
	return items, last, err
}

func (d *Desk) readToken(ctx context.Context, c *call) (wire.Token, error) {
	detail, now, err := d.acts.Operators.FindToken(ctx, c.who, c.id("id"))
	return showToken(detail, now), err
}

func (d *Desk) createToken(
	ctx context.Context, c *call, n wire.NewToken,
) (wire.Token, error) {
	detail, text, err := d.acts.Operators.CreateToken(ctx, c.who, n.Name,
		grants(n.Roles, n.AllBanks, n.Banks), timeOf(n.Expires).UTC())
	shown := showToken(detail, detail.Created)
	if err == nil && !c.who.DryRun {
		shown.Token = text.Reveal()
	}
	return shown, err
}

func (d *Desk) revokeToken(
	ctx context.Context, c *call, _ wire.OperatorAct,
) (wire.Token, error) {
	revoked, err := d.acts.Operators.RevokeToken(ctx, c.who, c.id("id"), c.revision)
	return showToken(revoked, revoked.Revoked), err
}

func showToken(t operators.TokenDetail, now time.Time) wire.Token {
	shown := wire.Token{
		ID: t.ID, Revision: t.Revision, Name: t.Name, Roles: t.Roles.Names(),
		AllBanks: t.Scope.All, Banks: t.Scope.Banks, State: t.State(now), Created: t.Created,
		Expires: moment(t.Expires), LastUsed: moment(t.LastUsed),
	}
	if shown.State == "active" && t.OwnerEnded {
		shown.State = "ended"
	}
	if t.Owner.Kind != "" {
		shown.Owner = &wire.Actor{
			Kind: string(t.Owner.Kind), ID: t.Owner.ID, Name: t.OwnerName,
		}
	}
	return shown
}
