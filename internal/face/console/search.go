package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// searchRows returns the rows of the search at the top of every page. The search is sent by POST,
// so that a card number never appears in an address; any other text is redirected to an address
// that can be shared.
func (c *Console) searchRows() []row {
	rows := []row{
		{method: http.MethodPost, path: "search", section: "cards", template: "cardsfound",
			answer: sendSearch},
		{method: http.MethodGet, path: "search", section: "cards", template: "search",
			answer: showSearch},
	}
	if c.Sandbox != nil { // only there may scripts send requests
		rows = append(rows, row{
			method: http.MethodPost, path: "search/suggestions", leaves: true, answer: suggest,
		})
	}
	return rows
}

// searchPage shows the results of a search.
type searchPage struct {
	wire.Found
	Text   string
	People []foundPerson
}

// foundPerson is a customer with the cards in the results that the customer holds.
type foundPerson struct {
	wire.Customer
	Held []wire.Card // the first ones
	More int         // number of further cards
}

// maxHeld bounds the cards in the row of a customer.
const maxHeld = 4

// cardOrCustomer matches a text that names a card or a customer, as suggestions do.
var cardOrCustomer = regexp.MustCompile(`(?i)^(card|customer) ([0-9]+)$`)

// wholeNumber matches a card number among other words, such as the holder's name.
var wholeNumber = regexp.MustCompile(`[0-9](?:[ -]?[0-9]){12,18}`)

func sendSearch(ctx context.Context, v *visit) (web.Response, error) {
	text := strings.Join(strings.Fields(v.typed("q")), " ")
	if !pan.MayContainInURL(text) {
		return v.redirect(v.To("search", "q", text)), nil
	}
	number := cmp.Or(wholeNumber.FindString(text), text)
	list, err := valueOf[wire.List[wire.Card]](v.change(ctx, admin.Request{
		Method: http.MethodPost, Path: "cards/search",
	}, wire.CardSearch{Number: number}))
	if err != nil {
		return web.Response{}, err
	}
	if len(list.Items) == 1 {
		return v.redirect(v.To("cards/" + itoa(list.Items[0].ID))), nil
	}
	v.crumbs("Search")
	v.command("card", "search", "<", "FILE")
	return v.render(ctx, http.StatusOK, "cardsfound", nil)
}

// showSearch shows the results of a search, or redirects to the only one.
func showSearch(ctx context.Context, v *visit) (web.Response, error) {
	text := strings.Join(strings.Fields(v.query.Get("q")), " ")
	if at := cardOrCustomer.FindStringSubmatch(text); at != nil {
		return v.redirect(v.To(strings.ToLower(at[1]) + "s/" + at[2])), nil
	}
	v.crumbs("Search")
	page := searchPage{Text: text}
	if text != "" {
		var err error
		page.Found, err = v.search(ctx, text)
		if err != nil {
			return web.Response{}, err
		}
		v.command("search", quotedWords(text))
	}
	to, err := v.onlyHit(page.Found), error(nil)
	if mayIdentify(text) && len(page.Customers)+len(page.Cards) == 0 {
		to, err = v.findByID(ctx, text)
	}
	if to != "" || err != nil {
		return v.redirect(to), err
	}
	for _, c := range page.Customers {
		person := foundPerson{Customer: c}
		for _, card := range page.Cards {
			if card.CardHolderCustomerID == c.ID {
				person.Held = append(person.Held, card)
			}
		}
		person.More = max(0, len(person.Held)-maxHeld)
		person.Held = person.Held[:len(person.Held)-person.More]
		page.People = append(page.People, person)
	}
	return v.render(ctx, http.StatusOK, "search", page)
}

func (v *visit) search(ctx context.Context, text string) (wire.Found, error) {
	return valueOf[wire.Found](v.do(ctx, admin.Request{
		Method: http.MethodGet, Path: "search", Query: url.Values{"q": {text}},
	}))
}

// onlyHit returns the page of the only result, empty if there are none or several. A customer and
// the cards that this customer holds count as one.
func (v *visit) onlyHit(f wire.Found) string {
	switch {
	case len(f.Customers) == 0 && len(f.Cards) == 1:
		return v.To("cards/" + itoa(f.Cards[0].ID))
	case len(f.Customers) != 1:
		return ""
	}
	customer := f.Customers[0]
	ofAnother := func(c wire.Card) bool { return c.CardHolderCustomerID != customer.ID }
	if slices.ContainsFunc(f.Cards, ofAnother) {
		return ""
	}
	return v.To("customers/" + itoa(customer.ID))
}

// mayIdentify reports whether a text is tried as the identifier of an order or an authorization.
// The audit records every attempt to read one that does not exist, so digits alone, such as a phone
// number, are not tried.
func mayIdentify(text string) bool {
	const least, digits = 8, "0123456789"
	return len(text) >= least && !strings.Contains(text, " ") &&
		strings.ContainsAny(text, digits) && strings.ContainsFunc(text, func(r rune) bool {
		return r == '-' || unicode.IsLetter(r)
	})
}

// findByID returns the page of the order or authorization with an identifier, empty if there is
// none.
func (v *visit) findByID(ctx context.Context, id string) (string, error) {
	for _, list := range []string{"orders/", "authorizations/"} {
		path := v.Named(list, id)
		_, err := v.do(ctx, admin.Request{Method: http.MethodGet, Path: path})
		refused := (*wire.Problem)(nil)
		switch {
		case err == nil:
			return v.To(path), nil
		case !errors.As(err, &refused):
			return "", err
		}
	}
	return "", nil
}

// quotedWords quotes each word for a shell.
func quotedWords(text string) string {
	words := strings.Fields(text)
	for i := range words {
		words[i] = quoted(words[i])
	}
	return strings.Join(words, " ")
}

// suggestion is a possible completion of the text being typed: searching for Value opens it.
type suggestion struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// maxSuggested bounds the suggestions below the search field.
const maxSuggested = 8

// suggest returns suggestions to the script of the search field.
func suggest(ctx context.Context, v *visit) (web.Response, error) {
	all := []suggestion{}
	text := strings.Join(strings.Fields(v.typed("q")), " ")
	if len(text) > 1 && !pan.MayContainInURL(text) {
		f, err := v.search(ctx, text)
		if err != nil {
			return web.Response{}, err
		}
		for _, c := range f.Customers {
			all = append(all, suggestion{
				"customer " + itoa(c.ID), labelOf(c.FirstName, c.LastName, c.MobilePhone),
			})
		}
		for _, c := range f.Cards {
			all = append(all, suggestion{
				"card " + itoa(c.ID), labelOf(c.HolderName, lastFour(c), c.Tag),
			})
		}
	}
	body, err := json.Marshal(all[:min(len(all), maxSuggested)])
	return web.Response{Status: http.StatusOK, ContentType: web.JSONType, Body: body}, err
}

// labelOf joins the texts that an operator may have typed: browsers show only suggestions that
// contain the input.
func labelOf(parts ...string) string {
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
