package admin

import (
	"context"

	wire "mintmark/client/admin"
)

func (d *Desk) me() *Resource {
	return &Resource{Item: "me", Show: get(Op{Summary: "Read who asks"}, d.readMe)}
}

func (d *Desk) readMe(_ context.Context, c *call) (wire.Me, error) {
	me := wire.Me{
		ID: c.ID, Name: c.Name, Kind: "person", AllBanks: c.Scope.All, Banks: c.Scope.Banks,
		Environment: d.about.Environment, Node: d.about.Node, Version: d.about.Version,
	}
	if c.IsToken {
		me.Kind = "token"
	}
	for _, role := range c.Roles {
		me.Roles = append(me.Roles, string(role))
	}
	return me, nil
}
