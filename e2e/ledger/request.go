package ledger

import (
	"fmt"
	"strings"
	"time"

	"mintmark/internal/fault"
)

var requestCases = []Case{
	{Kind: fault.Unauthorized, Name: "no credentials", Key: Anonymous, Path: "/program/get",
		Want: "User is not authorized."},
	{Kind: fault.Unauthorized, Name: "an unknown key", Key: "nobody", Path: "/program/get",
		Want: "User is not authorized."},
	{Kind: fault.Unauthorized, Name: "an expired secret", Key: "expired", Path: "/program/get",
		Want: "User is not authorized."},
	{Kind: fault.AddressNotTrusted, Name: "a key from an address that is not its own",
		Key: "elsewhere", Path: "/program/get", Want: "IP is not trusted."},
	{Kind: fault.RouteUnknown, Name: "an unknown route", Path: "/card/mint",
		Want: "The requested resource was not found."},
	{Kind: fault.RouteUnknown, Name: "a route that version 2 does not have", Key: "example2",
		Path: "/card/lostOrStolen", Body: Act(5001, `"lockReasonTypeCode":"LST"`),
		Want: "The requested resource was not found."},
	{Kind: fault.MethodNotAllowed, Name: "the wrong method", Method: "DELETE",
		Path: "/program/get", Want: "The requested HTTP method is not allowed."},
	{Kind: fault.NotImplemented, Name: "a method that HTTP does not have", Method: "MINT",
		Path: "/program/get", Want: "Not Implemented."},
	{Kind: fault.RateExceeded, Name: "more requests than the key may make",
		Do: (*World).hurry, Want: "Rate limit exceeded; wait and retry."},
	{Kind: fault.RateExceeded, Name: "more PINs than a card takes in an hour",
		Do: (*World).sixPins, Want: "Rate limit exceeded; wait and retry."},
	{Kind: fault.HTTPVersion, Name: "a request of HTTP/1.0",
		Do: raw("GET /program/get HTTP/1.0\r\n\r\n"), Want: "HTTP Version Not Supported."},
	{Kind: fault.BodyUnreadable, Name: "a body above the limit", Path: "/card/lock",
		Body: fmt.Sprintf(`{"customerId":1,"padding":"%s"}`, strings.Repeat("x", 64<<10)),
		Want: "The request body is too large."},
	{Kind: fault.ValueNotAcceptable, Name: "an idempotency key with another body",
		Do: (*World).otherBody, Want: notAcceptable + "Idempotency-Key' is not acceptable. " +
			"Specifics: It was used with another body."},
}

// hurry sends requests until the key's burst is spent.
func (w *World) hurry() Reply {
	w.T.Helper()
	var reply Reply
	for range 4 {
		reply = w.Send(Request{Key: "limited", Path: "/program/get"})
	}
	return reply
}

// sixPins asks for one PIN more than a card takes.
func (w *World) sixPins() Reply {
	w.T.Helper()
	card := Verified(w)
	var reply Reply
	for range 6 {
		reply = w.Send(Request{Path: "/card/resetpin", Body: Act(card, `"newPin":"MTIzNA=="`)})
	}
	return reply
}

// otherBody uses an idempotency key twice, for two different requests.
func (w *World) otherBody() Reply {
	w.T.Helper()
	key := map[string]string{"Idempotency-Key": fmt.Sprint("ledger-", time.Now().UnixNano())}
	w.Send(Request{Path: "/card/unlock", Body: Act(5001, ""), Header: key})
	return w.Send(Request{Path: "/card/unlock", Body: Act(5002, ""), Header: key})
}
