package entity

import (
	"maps"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
)

// The names of the destructive changes. An earlier file cannot undo such a change, so it is made
// only when the operator accepts it by name.
const (
	AccountMoved   = "account-moved"
	AccountType    = "account-type"
	BinDigits      = "bin-digits"
	CustomerErased = "customer-erased"
	Decimals       = "decimals"
	ProductRemoved = "product-removed"
)

// Destructive maps the name of a destructive change to what it allows a file to do.
type Destructive map[string]string

// DestructiveChanges lists all destructive changes.
var DestructiveChanges = Destructive{
	AccountMoved:   "give an account to another customer",
	AccountType:    "change the type of an account, which cards may draw on",
	BinDigits:      "change the digits or the vendor of a BIN that cards may have been made of",
	CustomerErased: "give an erased customer personal data again",
	Decimals:       "lower decimalCount below the digits of balances and holds that are stored",
	ProductRemoved: "take a product out of a program",
}

// Only returns the changes with the given names.
func (d Destructive) Only(names ...string) Destructive {
	some := make(Destructive, len(names))
	for _, name := range names {
		some[name] = d[name]
	}
	return some
}

// Names lists the names in alphabetical order.
func (d Destructive) Names() []string { return slices.Sorted(maps.Keys(d)) }

// Unknown returns the given names that belong to no destructive change, separated by commas.
func (d Destructive) Unknown(names []string) string {
	var wrong []string
	for _, name := range names {
		if d[name] == "" {
			wrong = append(wrong, name)
		}
	}
	return strings.Join(wrong, ", ")
}

// Refuse adds a problem for a destructive change of a member, unless the operator accepts the
// change by name.
func Refuse(problems *problem.List, accepted []string, path, name, what string) {
	if !slices.Contains(accepted, name) {
		problems.Add(path, "%s: refused unless --accept %s is given", what, name)
	}
}
