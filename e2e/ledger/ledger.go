// Package ledger lists, for every code the service can answer, a request over HTTP that provokes
// it, with the exact message. The test in e2e sends them to a running sandbox and holds the list
// against the catalogue; the manual names the cases.
package ledger

import (
	"slices"

	"mintmark/internal/fault"
)

// Case is a request that provokes a fault. In Path, Body and Want, $card stands for the card that
// Given has made.
type Case struct {
	Kind fault.Kind
	Name string

	Given  func(*World) int // makes a card; nil when none is needed
	Key    string           // name of the API key, and its secret; example1 when empty
	Method string           // POST when there is a body, else GET
	Path   string
	Body   string
	Header map[string]string

	// Do sends what the members above cannot say.
	Do func(*World) Reply

	Want string // the message
}

// Cases is the whole ledger.
var Cases = slices.Concat(
	requestCases, troubleCases, bodyCases, customerCases, createCases, programCases, verifyCases,
	lockCases, reissueCases, accountCases, findCases, documentCases)

// Names returns the names of the cases that provoke a kind.
func Names(kind fault.Kind) []string {
	var names []string
	for _, c := range Cases {
		if c.Kind == kind {
			names = append(names, c.Name)
		}
	}
	return names
}
