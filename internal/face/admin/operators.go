package admin

import (
	"context"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/issuing/operators"
)

// ofPeople are the roles for operators and tokens.
var ofPeople = operator.Roles{operator.Security}

var byName = []Field{{Name: "q", Help: "A part of the name."}}

func (f *Face) operatorRoutes() []*Op {
	operation := func(path, summary string) Op {
		return Op{Path: path, Summary: summary, Roles: ofPeople, Reason: true}
	}
	return []*Op{
		list(Op{
			Path: "operators", Summary: "List operators", Roles: ofPeople, Filters: byName,
		}, f.listOperators),
		fourEyes(create(operation("operators", "Make an operator"), f.createOperator)),
		get(Op{
			Path: "operators/{id}", Summary: "Read an operator", Roles: ofPeople,
		}, f.readOperator),
		fourEyes(patch(operation("operators/{id}", "Change roles and banks of an operator"),
			f.readOperator, f.changeOperator)),
		fourEyes(act(operation("operators/{id}/invite", "Make another link for an operator"),
			f.inviteOperator)),
		fourEyes(act(operation("operators/{id}/end", "End an operator for ever"), f.endOperator)),
	}
}

func (f *Face) listOperators(
	ctx context.Context, c *call, page issuing.Page,
) (items []wire.Operator, last string, err error) {
	found, last, err := f.acts.Operators.ListOperators(ctx, c.who, c.query.Get("q"), page)
	for _, one := range found {
		items = append(items, showOperator(one))
	}
	return items, last, err
}

func (f *Face) readOperator(ctx context.Context, c *call) (wire.Operator, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Operator{}, err
	}
	found, err := f.acts.Operators.FindOperator(ctx, c.who, id)
	return showOperator(found), err
}

func (f *Face) createOperator(
	ctx context.Context, c *call, asked wire.NewOperator,
) (wire.Operator, error) {
	made, link, err := f.acts.Operators.CreateOperator(ctx, c.who, asked.Name,
		grants(asked.Roles, asked.AllBanks, asked.Banks))
	return f.withLink(c, made, link), err
}

func (f *Face) changeOperator(
	ctx context.Context, c *call, after wire.Operator,
) (wire.Operator, error) {
	before, err := f.readOperator(ctx, c)
	if err != nil {
		return wire.Operator{}, err
	}
	// What cannot be changed must be as it was.
	var wrong problem.List
	if after.Name != before.Name {
		wrong.Add("name", "cannot be changed")
	}
	if after.State != before.State {
		wrong.Add("state", "cannot be changed; end or invite the operator")
	}
	if after.ID != before.ID || after.SignsInBy != before.SignsInBy || after.Link != "" ||
		!after.Created.Equal(before.Created) {
		wrong.Add("", "only roles, allBanks and banks can be changed")
	}
	if len(wrong) > 0 {
		return wire.Operator{}, web.Invalid(wrong)
	}
	changed, err := f.acts.Operators.ChangeOperator(ctx, c.who, before.ID, c.revision,
		grants(after.Roles, after.AllBanks, after.Banks))
	return showOperator(changed), err
}

func (f *Face) inviteOperator(
	ctx context.Context, c *call, _ wire.OperatorAct,
) (wire.Operator, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Operator{}, err
	}
	invited, link, err := f.acts.Operators.InviteOperator(ctx, c.who, id, c.revision)
	return f.withLink(c, invited, link), err
}

func (f *Face) endOperator(
	ctx context.Context, c *call, _ wire.OperatorAct,
) (wire.Operator, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Operator{}, err
	}
	ended, err := f.acts.Operators.EndOperator(ctx, c.who, id, c.revision)
	return showOperator(ended), err
}

func grants(roles []string, allBanks bool, banks []int) operators.GrantsRequest {
	asked := operators.GrantsRequest{Scope: operator.Scope{All: allBanks, Banks: banks}}
	for _, role := range roles {
		asked.Roles = append(asked.Roles, operator.Role(role))
	}
	return asked
}

// withLink shows an operator with the link, unless nothing was kept.
func (f *Face) withLink(c *call, p operator.Person, link secret.Text) wire.Operator {
	shown := showOperator(p)
	if !c.who.DryRun && link.Reveal() != "" {
		shown.Link = f.about.ConsoleURL + auth.InvitationPath + link.Reveal()
	}
	return shown
}

func showOperator(p operator.Person) wire.Operator {
	shown := wire.Operator{
		ID: p.ID, Revision: p.Revision, Name: p.Name, Roles: texts(p.Roles),
		AllBanks: p.Scope.All, Banks: p.Scope.Banks, State: string(p.Standing()), Created: p.Created,
		LastSignIn: orNone(p.LastSignIn), SignsInBy: "password",
	}
	switch {
	case p.OpenID != "":
		shown.SignsInBy = "openid"
	case p.State == operator.Invited:
		shown.SignsInBy = "nothing yet"
	}
	return shown
}

func texts(roles operator.Roles) []string {
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	return names
}

func orNone(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
