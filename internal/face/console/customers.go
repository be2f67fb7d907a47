package console

import (
	"context"
	"net/url"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func customerRows() []row {
	return append(
		slices.Concat(eraseRows(), changeRows()),
		page("customers", "customers", "customers", customers),
		page("customers/{customer}", "customers", "customer", customerPage),
	)
}

// changeRows are the form that changes a customer: who it is, and whether it may use cards. The birth
// date is shown nowhere, and addresses come with the feed.
func changeRows() []row {
	r := *resourceAt("customers")
	r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(f admin.Field) bool {
		return slices.Contains([]string{"birthDate", "mailing", "residence"}, f.Name)
	})
	p := &pages{Resource: &r, at: "customers", item: "customers/{id}", section: "customers"}
	return p.form(p.Change, p.item+"/edit", p.showChange)
}

// customersData is a page of the list of customers.
type customersData struct {
	Items    []wire.Customer
	Next     string
	Filtered bool
}

func customers(ctx context.Context, v *visit) (customersData, error) {
	v.crumbs("Customers")
	query := v.filter("q", "limit")
	data := customersData{Filtered: len(query) > 0}
	words := []string{"customer", "list"}
	if v.Program != nil {
		query.Set("programId", itoa(v.Program.ID))
		words = append(words, "--program", itoa(v.Program.ID))
	}
	if q := query.Get("q"); q != "" {
		words = append(words, "--q", quoted(q))
	}
	v.command(words...)
	list, err := readPage[wire.Customer](ctx, v, "customers", query)
	data.Items, data.Next = list.Items, list.Next
	return data, err
}

// customerData is the page of a customer.
type customerData struct {
	Customer wire.Customer
	Accounts []wire.Account
	Items    []wire.Card // that the customer has created or holds
	More     bool        // cards than are shown
	Many     []manyAct
}

func customerPage(ctx context.Context, v *visit) (customerData, error) {
	id, err := v.number("customer")
	if err != nil {
		return customerData{}, err
	}
	var data customerData
	data.Customer, err = read[wire.Customer](ctx, v, "customers/"+itoa(id))
	if err != nil {
		return data, err
	}
	v.choose(data.Customer.ProgramID)
	v.crumbs("Customer "+itoa(id), "Customers", "customers")
	v.command("customer", "get", itoa(id))
	of := url.Values{"customerId": {itoa(id)}, "limit": {"50"}}
	accounts, err := readPage[wire.Account](ctx, v, "accounts", of)
	if err != nil {
		return data, err
	}
	cards, err := readPage[wire.Card](ctx, v, "cards", of)
	data.Accounts, data.Items, data.More = accounts.Items, cards.Items, cards.Next != ""
	data.Many = manyActs(v, "cards", cards.Items)
	return data, err
}

// customerState is the state of a customer as a page shows it.
func customerState(c wire.Customer) mark {
	switch {
	case c.DeceasedDate != "":
		return mark{"mute", "square", "Deceased"}
	case c.IsLocked:
		return mark{"bad", "cross", "Locked"}
	case !c.IsActive:
		return mark{"mute", "square", "Not active"}
	}
	return state("customer", c.Status)
}

// accessText says what an access code lets a customer do.
func accessText(code string) string {
	return map[string]string{
		"FULL": "everything", "ACCT": "accounts, no cards", "CARD": "cards, no accounts",
		"RDONLY": "reading", "NONE": "nothing",
	}[code]
}
