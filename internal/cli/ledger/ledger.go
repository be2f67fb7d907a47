// Package ledger lists, for every code that a request can provoke, a request over HTTP that does,
// with the exact message, all of it data. The tests in e2e send the cases to a running sandbox and
// hold the list against the catalogue; `mintmark sandbox trigger` sends them, or prints them for
// curl. Faults that need a broken database are added in package e2e/ledger for the tests, and here
// by a fault rule.
package ledger

import (
	"slices"

	"mintmark/internal/domain/fault"
)

// Case is a request that provokes a fault. In the texts, $card stands for the card that Given has
// made, $unique for a text that no other run has, and $padding for more than a body may hold.
type Case struct {
	Kind fault.Kind
	Name string

	Given  []Step // what is done before; nil when nothing is needed
	Key    string // name of the API key, and its secret; DefaultKey when empty
	Method string // POST when there is a body, else GET
	Path   string
	Body   string
	Header map[string]string
	HTTP10 bool // the request is one of HTTP/1.0
	Most   int  // the request is sent until it is refused, at most so often; 0 for once

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

// byRule are the faults that a sandbox answers by a fault rule alone.
var byRule = []Case{
	failing(fault.InternalError, "Internal Server Error."),
	failing(fault.BadGateway, "Bad Gateway."),
	failing(fault.Unavailable, "Service Unavailable."),
	failing(fault.GatewayTimeout, "Gateway Timeout."),
	failing(fault.Incident, "Internal Server Error. Incident Id : "),
}

// failing is a request that a fault rule has fail.
func failing(kind fault.Kind, want string) Case {
	return Case{
		Kind: kind, Name: "a fault rule", Path: "/program/get", Want: want,
		Given: []Step{{Path: "/program/get", Fails: fault.Lookup(kind).Code}},
	}
}

// Triggers returns a case for each kind of fault that a sandbox can be brought to answer over HTTP,
// in the order of the codes.
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
