// Package ledger lists, for every code that a request can provoke, an HTTP request that does so and
// the exact message. It is data only. The tests in e2e send the cases to a running sandbox and
// compare the list with the catalogue; `mintmark sandbox trigger` sends them, or prints them for
// curl. For faults that need a broken database, package e2e/ledger has the tests, and this package
// uses fault rules.
package ledger

import (
	"slices"

	"mintmark/internal/domain/fault"
)

// Case is a request that provokes a fault. In its texts, $card stands for the card that Given
// created, $unique for a text that no other run uses, and $padding for more bytes than a body may
// have.
type Case struct {
	Kind fault.Kind
	Name string

	Given  []Step // preparatory steps; nil for none
	Key    string // name of the API key, which is also its secret; DefaultKey if empty
	Method string // POST if there is a body, otherwise GET
	Path   string
	Body   string
	Header map[string]string
	HTTP10 bool // the request uses HTTP/1.0
	Most   int  // the request is repeated until it is rejected, at most Most times; 0 for once

	Want string // the message
}

// Names of API keys.
const (
	DefaultKey = "example1"
	Anonymous  = "none" // sends no credentials
)

// Cases is the whole ledger.
var Cases = slices.Concat(
	requestCases, bodyCases, customerCases, createCases, programCases, verifyCases,
	lockCases, reissueCases, accountCases, findCases, documentCases)

// byRule are the faults that a sandbox returns only through a fault rule.
var byRule = []Case{
	failing(fault.InternalError, "Internal Server Error."),
	failing(fault.BadGateway, "Bad Gateway."),
	failing(fault.Unavailable, "Service Unavailable."),
	failing(fault.GatewayTimeout, "Gateway Timeout."),
	failing(fault.Incident, "Internal Server Error. Incident Id : "),
}

// failing returns a request that a fault rule makes fail.
func failing(kind fault.Kind, want string) Case {
	return Case{
		Kind: kind, Name: "a fault rule", Path: "/program/get", Want: want,
		Given: []Step{{Path: "/program/get", FailCode: fault.Lookup(kind).Code}},
	}
}

// Triggers returns a case for each kind of fault that a sandbox can return over HTTP, in the order
// of the codes.
func Triggers() []Case {
	all := slices.Concat(Cases, byRule)
	var triggers []Case
	for _, entry := range fault.Entries() {
		first := slices.IndexFunc(all, func(c Case) bool { return c.Kind == entry.Kind })
		if first >= 0 {
			triggers = append(triggers, all[first])
		}
	}
	return triggers
}
