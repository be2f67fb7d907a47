package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

// showErase asks to confirm that a customer is erased. A dry run tells what would go, or why
// nothing can be erased now.
func showErase(ctx context.Context, v *visit) (actPage, error) {
	id, err := v.number("customer")
	if err != nil {
		return actPage{}, err
	}
	found, err := read[wire.Customer](ctx, v, "customers/"+itoa(id))
	if err != nil {
		return actPage{}, err
	}
	v.choose(found.ProgramID)
	title := "Erase customer " + itoa(id) + " for good"
	v.crumbs("Erase", "Customers", "customers", "Customer "+itoa(id), "customers/"+itoa(id))
	v.Title = title
	words := []string{"customer", "erase", itoa(id), "--reason", `"…"`, "--revision",
		itoa(found.Revision)}
	v.command(append(words, "--dry-run")...)
	v.command(words...)
	standing := customerState(found)
	page := actPage{
		asking: asking{
			Fields: ask(reasonField("Number of the request. No name: the reason is kept " +
				"permanently.")).refused(v),
			Confirm: v.secondOperator(),
			Facts: []fact{
				{Name: "Customer", Text: itoa(id), To: v.To("customers/" + itoa(id))},
				{Name: "Name", Text: found.FirstName + " " + found.LastName},
				{Name: "State", Mark: &standing}, {Name: "Revision", Text: itoa(found.Revision)},
			},
			Revision: found.Revision, Button: v.confirmLabel(title),
			Back: v.To("customers/" + itoa(id)), BackText: "Back to the customer",
		},
		Risky: true,
		Effect: "Names, birth date, telephones and addresses go, from the customer, its " +
			"accounts, the cards that it has created or holds, and what the audit says of them. " +
			"Nothing brings them back. Its cards must be over, its orders done, its accounts " +
			"without money.",
	}
	page.Trial, err = v.tryToErase(ctx, id)
	return page, err
}

// tryToErase makes a dry run.
func (v *visit) tryToErase(ctx context.Context, id int) (*trial, error) {
	answer, err := v.change(ctx, admin.Request{
		Method: http.MethodPost, Path: "customers/" + itoa(id) + "/erase",
		Reason: "what would be erased", Query: url.Values{"dryRun": {"true"}},
	}, reasoned)
	refused := (*wire.Problem)(nil)
	if errors.As(err, &refused) && refused.Name() == wire.Conflict {
		return &trial{NotNow: refused.Detail}, nil
	}
	if err != nil {
		return nil, err
	}
	found := &trial{Title: "Would be removed", Changed: changesOf(answer.Changes)}
	if len(found.Changed) == 0 {
		found.Told = "The customer is erased. To erase it again empties the copies that an " +
			"earlier run has left."
		return found, nil
	}
	return found, v.addNamed(ctx, id, found)
}

// addNamed adds what goes with the names of the customer: the birth date, which the interface never
// answers, and the names of its accounts and cards.
func (v *visit) addNamed(ctx context.Context, id int, to *trial) error {
	of := url.Values{"customerId": {itoa(id)}}
	accounts, err := all[wire.Account](ctx, v, "accounts", of)
	if err != nil {
		return err
	}
	cards, err := all[wire.Card](ctx, v, "cards", of)
	if err != nil {
		return err
	}
	to.Changed = append(to.Changed, change{"birthDate", "not shown", ""})
	const after = "without names"
	for _, one := range accounts {
		to.Changed = append(to.Changed, change{"account " + itoa(one.ID), one.Name, after})
	}
	for _, one := range cards {
		to.Changed = append(to.Changed, change{
			"card " + itoa(one.ID), strings.Trim(one.NameOnCard+", "+one.NickName, ", "), after,
		})
	}
	return nil
}

// shownJSON shows the value of a member of a customer: a text without its quotes, an address in a
// line.
func shownJSON(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var address wire.Address
	if json.Unmarshal(raw, &address) != nil {
		return string(raw)
	}
	parts := []string{
		address.Line1, address.Line2, address.City, address.Region, address.PostalCode,
		address.Country,
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

func eraseCustomer(ctx context.Context, v *visit) (outcome, error) {
	to := "customers/" + v.param("customer")
	_, err := act[wire.Customer](ctx, v, to+"/erase", reasoned)
	return lead(v.To(to)), err
}
