package console

import (
	"context"
	"strings"

	wire "mintmark/client/admin"
)

type tokenList struct {
	Items []tokenLine
	Next  string
}

type tokenLine struct {
	wire.Token
	Scope, OwnerText string
}

// ownerText says whom a token belongs to.
func ownerText(t wire.Token) string {
	switch {
	case t.Owner == nil:
		return "not known"
	case t.Owner.Kind == "load":
		return "the machine"
	}
	return t.Owner.Name
}

func showTokens(ctx context.Context, v *visit) (tokenList, error) {
	found, err := readPage[wire.Token](ctx, v, "tokens", v.filter("q"))
	if err != nil {
		return tokenList{}, err
	}
	list := tokenList{Next: found.Next}
	for _, one := range found.Items {
		list.Items = append(list.Items, tokenLine{
			one, v.scopeWords(one.AllBanks, one.Banks), ownerText(one),
		})
	}
	v.crumbs("Tokens")
	v.command("token list")
	return list, nil
}

func showNewToken(_ context.Context, v *visit) (asking, error) {
	v.crumbs("Make a token", "Tokens", "tokens")
	v.command(`token create NAME --role auditor --reason "…"`)
	fields := append([]*control{{
		Name: "name", Label: "Name", Kind: textField, Required: true,
		Help: "Of the program that uses it; it stands in the audit.",
	}}, v.holderFields(nil, false, nil)...)
	fields = append(fields, &control{
		Name: "expires", Label: "Ends", Kind: momentField,
		Help: "In " + v.Zone.String() + ". Left empty: as the settings say.",
	}, reasonField("What it is for, and who runs it."))
	return asking{
		Fields: ask(fields...).refused(v), Once: v.once(), Button: "Make the token",
		Confirm: confirmedByRule, Back: v.To("tokens"), BackText: "Back to the tokens",
	}, nil
}

func makeToken(ctx context.Context, v *visit) (outcome, error) {
	if err := v.openFrame(ctx); err != nil {
		return outcome{}, err
	}
	f := ask(append(v.holderFields(nil, false, nil), &control{Name: "name"},
		&control{Name: "expires"})...).fill(v.form)
	roles, all, banks := grants(f)
	asked := wire.NewToken{
		Name: f.value("name"), Roles: roles, AllBanks: all, Banks: banks,
		Expires: f.moment("expires", v.Zone),
	}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	made, err := create[wire.Token](ctx, v, "tokens", asked)
	if err != nil {
		return outcome{}, err
	}
	title := "Token " + made.Name + " is made"
	v.crumbs(title, "Tokens", "tokens")
	v.command("token list")
	shows := secretPage{
		Back: v.To("tokens"), BackText: "To the tokens",
		Told: "A program sends it as Authorization: Bearer, the command line reads it from " +
			"MINTMARK_TOKEN. It is kept as a digest only.",
		Gone: "The token was shown in answer to this form. When it is lost, revoke it and make " +
			"another.",
	}
	if made.Token != "" {
		shows.Secrets = []shownOnce{{"token", "Token", made.Token, ""}}
	}
	return once("secret", shows), nil
}

func showRevokeToken(ctx context.Context, v *visit) (actPage, error) {
	id, err := v.number("id")
	if err != nil {
		return actPage{}, err
	}
	one, err := read[wire.Token](ctx, v, "tokens/"+itoa(id))
	if err != nil {
		return actPage{}, err
	}
	title := "Revoke token " + one.Name + " for good"
	v.crumbs(title, "Tokens", "tokens")
	v.command("token revoke", itoa(id), `--reason "…"`)
	found := state("token", one.State)
	return actPage{
		asking: asking{
			Confirm:  confirmedByRule,
			Fields:   ask(reasonField("What happened, and who said so.")).refused(v),
			Revision: one.Revision, Button: title, Back: v.To("tokens"),
			BackText: "Back to the tokens",
			Facts: []fact{
				{Name: "State", Mark: &found},
				{Name: "Roles", Text: strings.Join(one.Roles, ", ")},
				{Name: "Scope", Text: v.scopeWords(one.AllBanks, one.Banks)},
				{Name: "Belongs to", Text: ownerText(one)},
				{Name: "Created", At: v.When(one.Created)},
				{Name: "Ends", At: v.Maybe(one.Expires), Text: "never"},
				{Name: "Last used", At: v.Maybe(one.LastUsed), Text: "never"},
			},
		},
		Risky:  true,
		Effect: "From now on every request with token " + one.Name + " is refused.",
	}, nil
}

func revokeToken(ctx context.Context, v *visit) (outcome, error) {
	_, err := act[wire.Token](ctx, v, "tokens/"+v.param("id")+"/revoke",
		reasoned)
	return lead(v.To("tokens")), err
}
