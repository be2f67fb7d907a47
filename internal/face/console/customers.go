package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

func customerRows() []row {
	p := customerPages()
	return append(
		slices.Concat(eraseRows(), p.form(p.Change, p.item+"/edit", p.showChange)),
		page(p.at, p.section, "list", func(ctx context.Context, v *visit) (listPage, error) {
			shown, err := p.list(ctx, v)
			shown.Post = true
			return shown, err
		}),
		row{method: http.MethodPost, path: p.at, section: p.section, template: "cardsfound",
			answer: filterCustomers(p)},
		page("customers/{id}", "customers", "customer", customerPage),
	)
}

// filterCustomers returns the handler of the filter of customers. It is sent by POST, so that a
// whole card number never appears in an address: such a number finds the card, as in the search,
// and is left out of any other field.
func filterCustomers(p *pages) handler {
	return func(ctx context.Context, v *visit) (web.Response, error) {
		if pan.MayContainInURL(v.typed("q")) {
			return sendSearch(ctx, v)
		}
		var query []string
		for _, name := range append(p.filters(), "programId") {
			if value := v.typed(name); !pan.MayContainInURL(value) {
				query = append(query, name, value)
			}
		}
		return v.redirect(v.To(p.at, query...)), nil
	}
}

// customerPages returns the pages of customers: the list, and the form that changes identity and
// access. The birth date appears on neither.
func customerPages() *pages {
	r := *resourceAt("customers")
	r.Create, r.Help = nil, ""
	r.Columns = []string{"id", "programId", "status", "lastName", "firstName", "access"}
	r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(f admin.Field) bool {
		return f.Name == "birthDate"
	})
	return &pages{Resource: &r, at: "customers", item: "customers/{id}", section: "customers"}
}

type customerData struct {
	Customer wire.Customer
	Accounts []wire.Account
	Items    []wire.Card // cards that the customer created or holds
	More     bool        // there are more cards than shown
	Many     []manyAct
}

func customerPage(ctx context.Context, v *visit) (customerData, error) {
	customer, err := readNamed[wire.Customer](ctx, v, "customers/{id}")
	data := customerData{Customer: customer}
	if err != nil {
		return data, err
	}
	id := customer.ID
	v.crumbs("Customer "+itoa(id), "Customers", "customers")
	v.command("customer", "get", itoa(id))
	of := url.Values{"customerId": {itoa(id)}, "limit": {"50"}}
	accounts, err := readPage[wire.Account](ctx, v, "accounts", of)
	if err != nil {
		return data, err
	}
	if sort := v.Asked("sort"); sort != "" {
		of.Set("sort", sort)
	}
	cards, err := readPage[wire.Card](ctx, v, "cards", of)
	data.Accounts, data.Items, data.More = accounts.Items, cards.Items, cards.Next != ""
	data.Many = manyActs(v, "cards", cards.Items)
	return data, err
}

// customerState returns the state of a customer. Death, a lock and inactivity come before the
// status.
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

// accessText returns what an access code permits a customer.
func accessText(code string) string {
	return map[string]string{
		"FULL": "everything", "ACCT": "accounts, no cards", "CARD": "cards, no accounts",
		"NONE": "nothing",
	}[code]
}
