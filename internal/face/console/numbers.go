package console

import (
	"context"
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/face/web"
)

// withoutNumbers removes query parameters that contain a card number from a request, and reports
// whether there were any. A page shows its address in links, which operators may share.
func withoutNumbers(r *http.Request) bool {
	query, ok := r.URL.Query(), false
	for name, values := range query {
		for _, value := range values {
			if name != "cursor" && pan.MayContainInURL(value) {
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

// refuseNumber rejects a request whose address contained a card number.
func refuseNumber(context.Context, *visit) (web.Response, error) {
	return web.Response{}, &wire.Problem{
		Type: "/problems/" + wire.Invalid, Title: "A card number must not stand in an address",
		Status: http.StatusUnprocessableEntity,
		Detail: "Addresses are kept by browsers and sent to others. Use the search at the top of " +
			"the page, and take this address out of the history of the browser.",
	}
}
