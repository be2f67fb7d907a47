package console

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/authorization"
)

func authorizationRows() []row {
	return []row{
		page("authorizations", "authorizations", "plotted", showDeclines),
		page("authorizations/{id}", "authorizations", "authorization", showAuthorization),
		page("holds/{id}", "holds", "show", showHold),
	}
}

// showDeclines is the list of authorizations. Where the address does not say which, it shows those that
// were declined.
func showDeclines(ctx context.Context, v *visit) (listPage, error) {
	declined := authorization.Decisions[1]
	switch {
	case !v.query.Has("outcome"):
		v.query.Set("outcome", declined)
	case v.Asked("outcome") == "all": // of a link, which leaves out what is empty
		v.query.Set("outcome", "")
	}
	address := *v.address
	address.RawQuery = v.query.Encode()
	v.address = &address
	p := pagesAt("authorizations")
	shown, err := p.list(ctx, v)
	if v.Asked("outcome") == declined {
		shown.One, shown.Several = "decline", "declines"
		shown.Filtered = v.filtered("cardId", "customerId", "reason", "q", "from", "to")
	}
	if err != nil {
		return shown, err
	}
	shown.plotted, err = v.plots(ctx, v.queryOfProgram(), "authorizations")
	return shown, err
}

// authorizationPage is an authorization with the numbers that decided.
type authorizationPage struct {
	itemPage
	Limit, Hold []fact
	Tried       []wire.Tried
}

func showAuthorization(ctx context.Context, v *visit) (authorizationPage, error) {
	p := pagesAt("authorizations")
	authorizationDetail, err := readNamed[wire.AuthorizationDetail](ctx, v, p.Item)
	if err != nil {
		return authorizationPage{}, err
	}
	shown := authorizationPage{
		itemPage: p.page(v, authorizationDetail), Tried: authorizationDetail.Tried,
	}
	if l := authorizationDetail.Limit; l != nil {
		shown.Limit = []fact{
			{Name: "Limit", Text: l.Name, Code: true},
			{Name: "Allows", Text: bounds(l.MinimumAmount.String(), l.MaximumAmount.String())},
			{Name: "Would have been", Text: money(l.Sum)},
		}
	}
	if authorizationDetail.Hold != nil {
		holds := pagesAt("holds")
		mark := state("hold", authorizationDetail.Hold.State)
		shown.Hold = append([]fact{{Name: "State", Mark: &mark}}, holds.facts(v, *authorizationDetail.Hold)...)
		if authorizationDetail.Hold.State == openHold && v.may(holds.Act("release")) {
			shown.Acts = append(shown.Acts, offered{
				"release", "Release the hold…", v.To(v.Named("holds/", authorizationDetail.Hold.ID) + "/release"), false,
			})
		}
	}
	return shown, nil
}

// showHold offers to release a hold that stands.
func showHold(ctx context.Context, v *visit) (itemPage, error) {
	p := pagesAt("holds")
	item, err := p.find(ctx, v)
	if err != nil {
		return itemPage{}, err
	}
	shown := p.page(v, item)
	if strictjson.Member(item, "state") != openHold {
		shown.Acts = nil
	}
	return shown, nil
}

// openHold is the state of a hold that stands.
const openHold = "open"

// transfer is an authorization in the list of the last ones of a card.
type transfer struct {
	wire.Authorization
	Mark mark
	What string // "Purchase of 25.00 USD at Corner Fuel"
}

// maxTransfers is how many of the last transfers the page of a card shows.
const maxTransfers = 5

// lastTransfers are those of a card, the newest first.
func (v *visit) lastTransfers(ctx context.Context, cardID int) ([]transfer, error) {
	list, err := readPage[wire.Authorization](ctx, v, "authorizations", url.Values{
		"cardId": {itoa(cardID)}, "limit": {itoa(maxTransfers)},
	})
	var shown []transfer
	for _, a := range list.Items {
		t := transfer{a, state("authorization", a.Outcome), capital(a.Kind) + " of " +
			strings.TrimSpace(money(a.Amount)+" "+a.Currency)}
		if a.Merchant != nil {
			t.What += " at " + a.Merchant.Name
		}
		shown = append(shown, t)
	}
	return shown, err
}

// sentences are why entries of the audit about authorizations of a card came to what they did, by
// the authorization.
func (v *visit) sentences(
	ctx context.Context, cardID int, entries []wire.Entry,
) (map[string]string, error) {
	at := slices.IndexFunc(entries, func(e wire.Entry) bool {
		return slices.Contains(decidingActs, e.Act)
	})
	if at < 0 {
		return nil, nil
	}
	list, err := readPage[wire.Authorization](ctx, v, "authorizations", url.Values{
		"cardId": {itoa(cardID)}, "limit": {longPage},
		"to": {entries[at].At.Add(time.Second).UTC().Format(isoMillis)},
	})
	why := map[string]string{}
	for _, a := range list.Items {
		why[a.ID] = a.Why
	}
	return why, err
}

// decidingActs are the acts of the processor that approve or decline.
var decidingActs = []string{"authorize", "advise"}
