package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
)

func peopleRows() []row {
	forms := slices.Concat(
		form("operators/new", "operators", "form", showInvite, invite),
		form("operators/{id}/edit", "operators", "form", showOperatorForm, changeOperator),
		form("operators/{id}/end", "operators", "act", showEndOperator, endOperator),
		form("operators/{id}/invite", "operators", "act", showNewLink, makeLink),
		form("tokens/new", "tokens", "form", showNewToken, makeToken),
		form("tokens/{id}/revoke", "tokens", "act", showRevokeToken, revokeToken),
	)
	return append(reserved(forms, "security"),
		page("operators", "operators", "operators", showOperators),
		page("operators/{id}", "operators", "operator", showOperator),
		page("tokens", "tokens", "tokens", showTokens))
}

// roleOptions are what an operator can be given.
var roleOptions = []option{
	{Value: "support", Label: "Support", Help: "Customers, accounts, access, cards, orders"},
	{Value: "configurator", Label: "Configurator",
		Help: "Banks, programs, bins, documents, webhooks, orders, jobs, events"},
	{Value: "security", Label: "Security",
		Help: "Keys, operators, tokens, encryption keys, approvals"},
	{Value: "auditor", Label: "Auditor", Help: "Reads everything and the audit, changes nothing"},
	{Value: "administrator", Label: "Administrator", Help: "All four"},
}

// scopeWords says in words which banks a scope holds.
func (v *visit) scopeWords(all bool, banks []int) string {
	if all {
		return "all banks"
	}
	var names []string
	for _, id := range banks {
		name := "bank " + itoa(id)
		for _, bank := range v.Banks {
			if bank.ID == id {
				name = bank.Name
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// holderFields asks for roles and scope.
func (v *visit) holderFields(roles []string, allBanks bool, banks []int) []*control {
	scope := []option{{Value: "all", Label: "All banks", Help: "Those to come, too"}}
	if !v.Me.AllBanks {
		scope = nil
	}
	chosen := []string{}
	if allBanks {
		chosen = append(chosen, "all")
	}
	for _, bank := range v.Banks {
		scope = append(scope, option{Value: itoa(bank.ID), Label: bank.Name,
			Help: "Bank " + itoa(bank.ID)})
	}
	for _, id := range banks {
		chosen = append(chosen, itoa(id))
	}
	var mayGive []option
	for _, one := range roleOptions {
		if v.May(one.Value) {
			mayGive = append(mayGive, one)
		}
	}
	return []*control{
		{Name: "roles", Label: "Roles", Kind: checksField, Wide: true, Required: true,
			Options: choose(mayGive, roles...), Help: "Those that you hold yourself."},
		{Name: "banks", Label: "Banks", Kind: checksField, Wide: true, Required: true,
			Options: choose(scope, chosen...), Help: "What is outside does not exist for them."},
	}
}

// grants are the roles and the scope of a form.
func grants(f *fieldset) (roles []string, all bool, banks []int) {
	banks = []int{}
	for _, chosen := range f.chosen("banks") {
		if id, err := strconv.Atoi(chosen); err == nil {
			banks = append(banks, id)
		}
		all = all || chosen == "all"
	}
	if all {
		banks = []int{}
	}
	return append([]string{}, f.chosen("roles")...), all, banks
}

type operatorList struct {
	Items []operatorLine
	Next  string
}

type operatorLine struct {
	wire.Operator
	Scope string
}

func showOperators(ctx context.Context, v *visit) (operatorList, error) {
	found, err := readPage[wire.Operator](ctx, v, "operators", v.filter("q"))
	if err != nil {
		return operatorList{}, err
	}
	list := operatorList{Next: found.Next}
	for _, one := range found.Items {
		list.Items = append(list.Items,
			operatorLine{one, v.scopeWords(one.AllBanks, one.Banks)})
	}
	v.crumbs("Operators")
	v.command("operator list")
	return list, nil
}

type operatorPage struct {
	operatorLine
	Facts []fact
}

func findOperator(ctx context.Context, v *visit) (wire.Operator, error) {
	id, err := v.number("id")
	if err != nil {
		return wire.Operator{}, err
	}
	return read[wire.Operator](ctx, v, "operators/"+itoa(id))
}

func showOperator(ctx context.Context, v *visit) (operatorPage, error) {
	one, err := findOperator(ctx, v)
	if err != nil {
		return operatorPage{}, err
	}
	v.crumbs(one.Name, "Operators", "operators")
	v.command("operator get", itoa(one.ID))
	line := operatorLine{one, v.scopeWords(one.AllBanks, one.Banks)}
	return operatorPage{line, v.operatorFacts(line)[1:]}, nil
}

func (v *visit) operatorFacts(o operatorLine) []fact {
	found := state("operator", o.State)
	return []fact{
		{Name: "State", Mark: &found},
		{Name: "Roles", Text: strings.Join(o.Roles, ", ")},
		{Name: "Scope", Text: o.Scope},
		{Name: "Signs in by", Text: o.SignsInBy},
		{Name: "Last sign-in", At: v.Maybe(o.LastSignIn), Text: "never"},
		{Name: "Created", At: v.When(o.Created)},
		{Name: "What they did", Text: "in the audit", To: v.To("audit", "actor", o.Name,
			"programId", "")},
		{Name: "Revision", Text: itoa(o.Revision)},
	}
}

func showInvite(_ context.Context, v *visit) (asking, error) {
	v.crumbs("Invite an operator", "Operators", "operators")
	v.command(`operator create NAME --role support --bank 1 --reason "…"`)
	fields := append([]*control{{
		Name: "name", Label: "Name", Kind: textField, Required: true,
		Help: "It stands in the audit. With single sign-on: as the provider knows them.",
	}}, v.holderFields(nil, false, nil)...)
	fields = append(fields, reasonField("Why they need it, and who said so."))
	return asking{
		Fields: ask(fields...).refused(v), Once: v.once(), Button: "Invite the operator",
		Confirm: confirmedByRule, Back: v.To("operators"), BackText: "Back to the operators",
	}, nil
}

func invite(ctx context.Context, v *visit) (outcome, error) {
	if err := v.openFrame(ctx); err != nil {
		return outcome{}, err
	}
	f := ask(append(v.holderFields(nil, false, nil), &control{Name: "name"})...).fill(v.form)
	roles, all, banks := grants(f)
	made, err := create[wire.Operator](ctx, v, "operators", wire.NewOperator{
		Name: f.value("name"), Roles: roles, AllBanks: all, Banks: banks,
	})
	if err != nil {
		return outcome{}, err
	}
	return v.linkPage(made, made.Name+" is invited"), nil
}

// linkPage shows the link of an operator, this once.
func (v *visit) linkPage(made wire.Operator, title string) outcome {
	id := itoa(made.ID)
	v.crumbs(title, "Operators", "operators", made.Name, "operators/"+id)
	v.command("operator get", id)
	shows := secretPage{
		Back: v.To("operators/" + id), BackText: "To the operator",
		Told: "Whoever opens it first sets password and second factor. Hand it over in person " +
			"or by a channel that you trust. It works once.",
		Gone: "The link was shown in answer to this form. When it is lost, make another.",
	}
	if made.Link != "" {
		shows.Secrets = []shownOnce{{"link", "Link", made.Link, ""}}
	}
	return once("secret", shows)
}

func showNewLink(ctx context.Context, v *visit) (actPage, error) {
	one, err := findOperator(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id := itoa(one.ID)
	title := "Make another link for " + one.Name
	v.crumbs(title, "Operators", "operators", one.Name, "operators/"+id)
	v.command("operator get", id)
	line := operatorLine{one, v.scopeWords(one.AllBanks, one.Banks)}
	return actPage{
		asking: asking{
			Confirm: confirmedByRule,
			Fields:  ask(reasonField("What became of the one before.")).refused(v), Once: v.once(),
			Facts: v.operatorFacts(line), Revision: one.Revision, Button: title,
			Back: v.To("operators/" + id), BackText: "Back to the operator",
		},
		Effect: "The link before stops working. Whoever opens the new one sets password and " +
			"second factor of " + one.Name + ".",
	}, nil
}

func makeLink(ctx context.Context, v *visit) (outcome, error) {
	made, err := create[wire.Operator](ctx, v, "operators/"+v.param("id")+"/invite", reasoned)
	if err != nil {
		return outcome{}, err
	}
	return v.linkPage(made, "Another link for "+made.Name), nil
}

func showOperatorForm(ctx context.Context, v *visit) (asking, error) {
	one, err := findOperator(ctx, v)
	if err != nil {
		return asking{}, err
	}
	id := itoa(one.ID)
	v.crumbs("Change "+one.Name, "Operators", "operators", one.Name, "operators/"+id)
	v.command("operator update", id, `--set roles='["support"]' --reason "…" --revision`,
		itoa(one.Revision))
	fields := append(v.holderFields(one.Roles, one.AllBanks, one.Banks),
		reasonField("Why they need other roles or banks."))
	return asking{
		Fields: ask(fields...).refused(v), Revision: one.Revision, Confirm: confirmedByRule,
		Button: "Change " + one.Name, Back: v.To("operators/" + id),
		BackText: "Back to the operator",
	}, nil
}

func changeOperator(ctx context.Context, v *visit) (outcome, error) {
	if err := v.openFrame(ctx); err != nil {
		return outcome{}, err
	}
	f := ask(v.holderFields(nil, false, nil)...).fill(v.form)
	path := "operators/" + v.param("id")
	roles, all, banks := grants(f)
	body := properties{}
	body.set("roles", roles)
	body.set("allBanks", all)
	body.set("banks", banks)
	_, err := patch[wire.Operator](ctx, v, path, body)
	return lead(v.To(path)), err
}

func showEndOperator(ctx context.Context, v *visit) (actPage, error) {
	one, err := findOperator(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id := itoa(one.ID)
	title := "End operator " + one.Name
	v.crumbs(title, "Operators", "operators", one.Name, "operators/"+id)
	v.command("operator end", id, `--reason "…"`)
	line := operatorLine{one, v.scopeWords(one.AllBanks, one.Banks)}
	return actPage{
		asking: asking{
			Confirm: confirmedByRule,
			Fields:  ask(reasonField("What happened, and who said so.")).refused(v),
			Facts:   v.operatorFacts(line), Revision: one.Revision, Button: title,
			Back: v.To("operators/" + id), BackText: "Back to the operator",
		},
		Risky: true,
		Effect: one.Name + " is signed out at once and cannot sign in again. What " + one.Name +
			" did stays in the audit.",
	}, nil
}

func endOperator(ctx context.Context, v *visit) (outcome, error) {
	path := "operators/" + v.param("id")
	_, err := act[wire.Operator](ctx, v, path+"/end", reasoned)
	return lead(v.To(path)), err
}
