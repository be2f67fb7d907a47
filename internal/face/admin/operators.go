package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/issuing/operators"
)

// peopleRoles has the role for operators and tokens.
var peopleRoles = operator.Roles{operator.Security}

var byName = []Field{{Name: "q", Label: "Search", Help: "A part of the name."}}

// rights are the fields for the rights of an operator or a token.
var rights = []Field{
	{Name: "roles", Flag: "role", Label: "Roles", Required: true,
		Help: "Only roles that you hold.",
		Choices: []Choice{
			{Value: "support", Label: "Support", Help: "Customers, accounts, access, cards, orders"},
			{Value: "configurator", Label: "Configurator",
				Help: "Banks, programs, bins, documents, webhooks, orders, jobs, events"},
			{Value: "security", Label: "Security",
				Help: "Keys, operators, tokens, encryption keys, approvals"},
			{Value: "auditor", Label: "Auditor",
				Help: "Reads everything and the audit, changes nothing"},
			{Value: "administrator", Label: "Administrator", Help: "All four"},
		}},
	{Name: "allBanks", Label: "All banks", Help: "Including banks added later."},
	{Name: "banks", Flag: "bank", Label: "Banks",
		Help: "They cannot see other banks."},
}

func (d *Desk) operators() *Resource {
	const keep = "The first person to open it sets password and second factor. Hand it over in person " +
		"or by a channel that you trust. It works once; if it is lost, make another."
	read := byID(showOperator, d.acts.Operators.FindOperator)
	return &Resource{
		Noun: "operator", Path: "operators", Item: "operators/{id}",
		ID:    Param{Name: "id", Help: "Number of the operator.", Number: true},
		Nav:   Nav{"People", "Operators"},
		Roles: peopleRoles,
		Columns: []string{
			"id", "name", "roles", "allBanks", "banks", "state", "signsInBy", "lastSignIn",
			"revision",
		},
		Fields: append([]Field{
			{Name: "name", Label: "Name", On: Creating, Required: true, Help: "It appears in the " +
				"audit log. With single sign-on: as the provider knows them."},
			{Name: "state", Label: "State", On: Shown, Help: "invited, active, ended or withdrawn"},
			{Name: "signsInBy", Label: "Signs in by", On: Shown,
				Help: "password, openid or nothing yet"},
			{Name: "lastSignIn", Label: "Last sign-in", On: Shown},
			{Name: "created", Label: "Created", On: Shown},
			{Name: "link", Label: "Link", On: Shown, Secret: true, Help: "It works once, and is shown once."},
		}, rights...),
		List: list(Op{
			Summary: "List operators", Example: "mintmark operator list", Filters: byName,
		}, d.listOperators),
		Show: get(Op{Summary: "Read an operator", Example: "mintmark operator get 1"}, read),
		Create: create(Op{
			Summary: "Create an operator", FourEyes: true, Reason: true,
			Example: `mintmark operator create grace --role support --bank 1 --reason "first line"`,
			Title:   "Invite an operator", Button: "Invite the operator",
			Once: []string{"link"}, OnceHelp: keep,
		}, d.createOperator),
		Change: patch(Op{
			Summary: "Change roles and banks of an operator", FourEyes: true, Reason: true,
			Example: `mintmark operator update 2 --set roles='["support","auditor"]' ` +
				`--reason "new duties"`,
			Button: "Change {id}",
		}, read, d.changeOperator),
		Acts: []*Op{
			act(Op{
				Name: "invite", Summary: "Create a new link for an operator", FourEyes: true,
				Reason: true, Button: "Create a new link for {id}",
				Effect: "The previous link stops working. The first person to open the new one " +
					"sets the password and the second factor of {id}.",
				Once: []string{"link"}, OnceHelp: keep,
			}, d.inviteOperator),
			act(Op{
				Name: "end", Summary: "End an operator permanently", FourEyes: true, Reason: true,
				Risky: true, Example: `mintmark operator end 3 --reason "has left the bank"`,
				Button: "End operator {id}",
				Effect: "{id} is signed out at once and cannot sign in again. The audit keeps " +
					"the acts of {id}.",
			}, atRevision[wire.OperatorAct](showOperator, d.acts.Operators.EndOperator)),
		},
	}
}

func (d *Desk) listOperators(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Operator, string, error) {
	return convertAll(showOperator)(
		d.acts.Operators.ListOperators(ctx, c.who, c.query.Get("q"), page))
}

func (d *Desk) createOperator(
	ctx context.Context, c *call, newOperator wire.NewOperator,
) (wire.Operator, error) {
	person, link, err := d.acts.Operators.CreateOperator(ctx, c.who, newOperator.Name,
		grants(newOperator.Roles, newOperator.AllBanks, newOperator.Banks))
	return d.withLink(c, person, link), err
}

func (d *Desk) changeOperator(
	ctx context.Context, c *call, after wire.Operator,
) (wire.Operator, error) {
	return convert(showOperator)(d.acts.Operators.ChangeOperator(ctx, c.who, c.id("id"),
		c.revision, grants(after.Roles, after.AllBanks, after.Banks)))
}

func (d *Desk) inviteOperator(
	ctx context.Context, c *call, _ wire.OperatorAct,
) (wire.Operator, error) {
	invited, link, err := d.acts.Operators.InviteOperator(ctx, c.who, c.id("id"), c.revision)
	return d.withLink(c, invited, link), err
}

func grants(roles []string, allBanks bool, banks []int) operators.GrantsRequest {
	grantsRequest := operators.GrantsRequest{Scope: operator.Scope{All: allBanks, Banks: banks}}
	for _, role := range roles {
		grantsRequest.Roles = append(grantsRequest.Roles, operator.Role(role))
	}
	return grantsRequest
}

// withLink shows an operator with the link, unless the act was a dry run.
func (d *Desk) withLink(c *call, p operator.Person, link secret.Text) wire.Operator {
	shown := showOperator(p)
	if !c.who.DryRun && link.Reveal() != "" {
		shown.Link = d.about.ConsoleURL + auth.InvitationPath + link.Reveal()
	}
	return shown
}

func showOperator(p operator.Person) wire.Operator {
	shown := wire.Operator{
		ID: p.ID, Revision: p.Revision, Name: p.Name, Roles: p.Roles.Names(),
		AllBanks: p.Scope.All, Banks: p.Scope.Banks, State: string(p.Standing()), Created: p.Created,
		LastSignIn: moment(p.LastSignIn), SignsInBy: "password",
	}
	switch {
	case p.OpenID != "":
		shown.SignsInBy = "openid"
	case p.State == operator.Invited:
		shown.SignsInBy = "nothing yet"
	}
	return shown
}
