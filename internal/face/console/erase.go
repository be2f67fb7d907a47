package console

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	wire "mintmark/client/admin"
)

func eraseRows() []row {
	p := &pages{Resource: resourceAt("customers"), at: "customers", item: "customers/{id}"}
	erase := p.Act("erase")
	show := p.showAct(erase, p.find)
	return reserved(form("customers/{id}/erase", "customers", "act",
		func(ctx context.Context, v *visit) (actPage, error) {
			shown, err := show(ctx, v)
			shown.Facts = slices.DeleteFunc(shown.Facts, func(f fact) bool {
				return f.Text == "" && f.Mark == nil
			})
			if err != nil || shown.Trial == nil || shown.Trial.NotNow != "" {
				return shown, err
			}
			return shown, v.addNamed(ctx, v.params["id"], shown.Trial)
		}, p.do(erase)), erase.Roles.Names()...)
}

// addNamed adds the data that is erased along with the customer's name: the birth date, which the
// interface never returns, and the names of accounts and cards.
func (v *visit) addNamed(ctx context.Context, id string, to *dryRunResult) error {
	to.Title = "Would be removed"
	if len(to.Changed) == 0 {
		to.Told = "The customer is erased. Erasing again empties copies that an earlier run has " +
			"left."
		return nil
	}
	of := url.Values{"customerId": {id}}
	accounts, err := all[wire.Account](ctx, v, "accounts", of)
	if err != nil {
		return err
	}
	cards, err := all[wire.Card](ctx, v, "cards", of)
	if err != nil {
		return err
	}
	to.Changed = append(to.Changed, change{"Birth date", "not shown", ""})
	const after = "without names"
	for _, account := range accounts {
		to.Changed = append(to.Changed, change{"Account " + itoa(account.ID), account.Name, after})
	}
	for _, c := range cards {
		to.Changed = append(to.Changed, change{
			"Card " + itoa(c.ID), strings.Trim(c.NameOnCard+", "+c.NickName, ", "), after,
		})
	}
	return nil
}

// shownJSON formats a member of a customer: a string without its quotes, an address on one line.
func shownJSON(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var address wire.Address
	if json.Unmarshal(raw, &address) != nil {
		return string(raw)
	}
	return inLine(address)
}

// inLine formats an address on one line.
func inLine(a wire.Address) string {
	return joinNonEmpty(a.Line1, a.Line2, a.City, a.Region, a.PostalCode, a.Country)
}

// joinNonEmpty joins the strings that are not empty with commas.
func joinNonEmpty(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), ", ")
}
