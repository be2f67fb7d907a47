package load

import (
	"slices"
	"strings"
)

// A loss is a change that loading an earlier file cannot undo. It is made only when the operator
// names it.
const (
	accountMoved   = "account-moved"
	accountType    = "account-type"
	binDigits      = "bin-digits"
	decimals       = "decimals"
	productRemoved = "product-removed"
)

// Losses are the names that Options.Accept may hold, and what each allows a file to do.
var Losses = map[string]string{
	accountMoved:   "give an account to another customer",
	accountType:    "change the type of an account, which cards may draw on",
	binDigits:      "change the digits or the vendor of a BIN that cards may have been made of",
	decimals:       "lower decimalCount below the digits of balances that are stored",
	productRemoved: "take a product out of a program",
}

// LossNames lists what Options.Accept may hold, in alphabetical order.
func LossNames() []string {
	var names []string
	for name := range Losses {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lose notes a loss that the operator has not agreed to.
func (p *pass) lose(at item, path, name, what string) {
	if slices.Contains(p.options.Accept, name) {
		return
	}
	p.problems.add(at, path, "%s: refused unless --accept %s is given", what, name)
}

// CheckLosses returns the names that are not those of a loss.
func CheckLosses(names []string) (unknown string) {
	var wrong []string
	for _, name := range names {
		if Losses[name] == "" {
			wrong = append(wrong, name)
		}
	}
	return strings.Join(wrong, ", ")
}
