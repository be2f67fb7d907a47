package ledger

import "mintmark/internal/domain/fault"

// sameKey holds an idempotency key that two requests share.
var sameKey = map[string]string{"Idempotency-Key": "ledger-$unique"}

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
		Key: "limited", Path: "/program/get", Most: 8,
		Want: "Rate limit exceeded; wait and retry."},
	{Kind: fault.RateExceeded, Name: "more PINs than a card takes in an hour",
		Given: Verified, Path: "/card/resetpin", Body: act("$card", `"newPin":"MTIzNA=="`),
		Most: 6, Want: "Rate limit exceeded; wait and retry."},
	{Kind: fault.HTTPVersion, Name: "a request of HTTP/1.0",
		Key: Anonymous, Path: "/program/get", HTTP10: true, Want: "HTTP Version Not Supported."},
	{Kind: fault.BodyUnreadable, Name: "a body above the limit", Path: "/card/lock",
		Body: `{"customerId":1,"padding":"$padding"}`,
		Want: "The request body is too large."},
	{Kind: fault.ValueNotAcceptable, Name: "an idempotency key with another body",
		Given: []Step{{Path: "/card/unlock", Body: Act(5001, ""), Header: sameKey}},
		Path:  "/card/unlock", Body: Act(5002, ""), Header: sameKey,
		Want: notAcceptable + "Idempotency-Key' is not acceptable. Specifics: It was used with " +
			"another body."},
}
