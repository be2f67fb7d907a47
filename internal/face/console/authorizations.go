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

// showDeclines lists authorizations. Without an outcome in the address, it lists the declined ones.
func showDeclines(ctx context.Context, v *visit) (listPage, error) {
	declined := authorization.Decisions[1]
	switch {
	case !v.query.Has("outcome"):
		v.query.Set("outcome", declined)
	case v.Asked("outcome") == "all": // in links, which omit empty values
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

// authorizationPage is an authorization with the amounts that its decision was based on.
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

// showHold shows a hold, and offers to release it while it is open.
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

const openHold = "open"

// transfer is one of the latest authorizations on the page of a card.
type transfer struct {
	wire.Authorization
	Mark mark
	What string // "Purchase of 25.00 USD at Corner Fuel"
}

// maxTransfers bounds the transfers on the page of a card.
const maxTransfers = 5

// lastTransfers returns the latest transfers of a card, newest first.
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

// sentences returns, by authorization ID, why each authorization was decided as it was. It reads
// them only if an entry is about an authorization.
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

// decidingActs are the acts of the processor that record an approval or a decline.
var decidingActs = []string{"authorize", "advise"}
