package admin

import (
	"context"

	wire "mintmark/client/admin"
)

func (d *Desk) me() *Resource {
	return &Resource{
		Item: "me", Show: get(Op{Summary: "Read the operator or token of the request"}, d.readMe),
		Fields: []Field{
			{Name: "id", Label: "Number of the operator or the token", On: Shown},
			{Name: "name", Label: "Name", On: Shown},
			{Name: "kind", Label: "Kind", On: Shown, Choices: choices("person", "token")},
			{Name: "roles", Label: "Roles", On: Shown},
			{Name: "allBanks", Label: "All banks", On: Shown},
			{Name: "banks", Label: "Banks", On: Shown},
			{Name: "environment", Label: "Environment", On: Shown,
				Choices: choices("production", "sandbox")},
			{Name: "node", Label: "Node that answers", On: Shown},
			{Name: "version", Label: "Version of the program", On: Shown},
		},
	}
}

func (d *Desk) readMe(_ context.Context, c *call) (wire.Me, error) {
	me := wire.Me{
		ID: c.ID, Name: c.Name, Kind: "person", Roles: c.Roles.Names(), AllBanks: c.Scope.All,
		Banks: c.Scope.Banks, Environment: d.about.Environment, Node: d.about.Node,
		Version: d.about.Version,
	}
	if c.IsToken {
		me.Kind = "token"
	}
	return me, nil
}
