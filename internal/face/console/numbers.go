package console

import (
	"context"
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/face/web"
)

// withoutNumbers takes the members with a whole card number out of the query of a request, and
// reports whether there was one. A page shows its address in links, which other people may be sent.
func withoutNumbers(r *http.Request) bool {
	query, ok := r.URL.Query(), false
	for name, values := range query {
		for _, value := range values {
			if name != "cursor" && pan.MayHold(value) {
				query.Del(name)
				ok = true
				break
			}
		}
	}
	if ok {
		address := *r.URL
		address.RawQuery = query.Encode()
		r.URL = &address
	}
	return ok
}

// refuseNumber answers a page whose address had a whole card number in it.
func refuseNumber(context.Context, *visit) (web.Response, error) {
	return web.Response{}, &wire.Problem{
		Type: "/problems/" + wire.Invalid, Title: "A card number must not stand in an address",
		Status: http.StatusUnprocessableEntity,
		Detail: "Addresses are kept by browsers and sent to others. Use the search at the top of " +
			"the page, and take this address out of the history of the browser.",
	}
}
