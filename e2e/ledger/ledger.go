// Package ledger sends the cases of package internal/cli/ledger to a running sandbox, and adds
// cases that need a broken database or a separate key: for every code that the service can return,
// a request over HTTP that provokes it, with the exact message. A test in e2e compares the list
// with the catalogue.
package ledger

import (
	data "mintmark/internal/cli/ledger"
	"mintmark/internal/domain/fault"
)

// Case is a request that provokes a fault.
type Case struct {
	data.Case

	// Do sends what data cannot describe; nil for a case that is data.
	Do func(*World) Reply
}

// Cases is the whole ledger.
var Cases = allCases()

func allCases() []Case {
	var all []Case
	for _, c := range data.Cases {
		all = append(all, Case{Case: c})
	}
	return append(append(all, troubleCases...), pinCases...)
}

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
