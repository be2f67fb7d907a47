package admin

import (
	"context"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/operators"
)

func (f *Face) tokenRoutes() []*Op {
	return []*Op{
		list(Op{
			Path: "tokens", Summary: "List tokens", Roles: ofPeople, Filters: byName,
		}, f.listTokens),
		fourEyes(create(Op{
			Path: "tokens", Summary: "Make a token", Roles: ofPeople, Reason: true,
		}, f.createToken)),
		get(Op{
			Path: "tokens/{id}", Summary: "Read a token", Roles: ofPeople,
		}, f.readToken),
		fourEyes(act(Op{
			Path: "tokens/{id}/revoke", Summary: "Revoke a token for ever", Roles: ofPeople,
			Reason: true,
		}, f.revokeToken)),
	}
}

func (f *Face) listTokens(
	ctx context.Context, c *call, page issuing.Page,
) (items []wire.Token, last string, err error) {
	found, last, now, err := f.acts.Operators.ListTokens(ctx, c.who, c.query.Get("q"), page)
	for _, one := range found {
		items = append(items, showToken(one, now))
	}
	return items, last, err
}

func (f *Face) readToken(ctx context.Context, c *call) (wire.Token, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Token{}, err
	}
	found, now, err := f.acts.Operators.FindToken(ctx, c.who, id)
	return showToken(found, now), err
}

func (f *Face) createToken(
	ctx context.Context, c *call, asked wire.NewToken,
) (wire.Token, error) {
	var expires time.Time
	if asked.Expires != nil {
		expires = asked.Expires.UTC()
	}
	made, text, err := f.acts.Operators.CreateToken(ctx, c.who, asked.Name,
		grants(asked.Roles, asked.AllBanks, asked.Banks), expires)
	shown := showToken(made, made.Created)
	if err == nil && !c.who.DryRun {
		shown.Token = text.Reveal()
	}
	return shown, err
}

func (f *Face) revokeToken(
	ctx context.Context, c *call, _ wire.OperatorAct,
) (wire.Token, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Token{}, err
	}
	revoked, err := f.acts.Operators.RevokeToken(ctx, c.who, id, c.revision)
	return showToken(revoked, revoked.Revoked), err
}

func showToken(t operators.TokenDetail, now time.Time) wire.Token {
	shown := wire.Token{
		ID: t.ID, Revision: t.Revision, Name: t.Name, Roles: texts(t.Roles),
		AllBanks: t.Scope.All, Banks: t.Scope.Banks, State: t.State(now), Created: t.Created,
		Expires: orNone(t.Expires), LastUsed: orNone(t.LastUsed),
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
