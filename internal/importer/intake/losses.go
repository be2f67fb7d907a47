package intake

import (
	"maps"
	"slices"
	"strings"
)

// A loss is a change that an earlier file cannot undo. It is made only when the operator names it.
const (
	AccountMoved   = "account-moved"
	AccountType    = "account-type"
	BinDigits      = "bin-digits"
	CustomerErased = "customer-erased"
	Decimals       = "decimals"
	ProductRemoved = "product-removed"
)

// Losses are the names that an operator may accept, and what each allows a file to do.
type Losses map[string]string

// Known are all losses.
var Known = Losses{
	AccountMoved:   "give an account to another customer",
	AccountType:    "change the type of an account, which cards may draw on",
	BinDigits:      "change the digits or the vendor of a BIN that cards may have been made of",
	CustomerErased: "give a customer who was erased a name and the like again",
	Decimals:       "lower decimalCount below the digits of balances that are stored",
	ProductRemoved: "take a product out of a program",
}

// Only are some of the losses.
func (l Losses) Only(names ...string) Losses {
	some := make(Losses, len(names))
	for _, name := range names {
		some[name] = l[name]
	}
	return some
}

// Names lists the losses in alphabetical order.
func (l Losses) Names() []string { return slices.Sorted(maps.Keys(l)) }

// Unknown returns the names that are not those of a loss.
func (l Losses) Unknown(names []string) string {
	var wrong []string
	for _, name := range names {
		if l[name] == "" {
			wrong = append(wrong, name)
		}
	}
	return strings.Join(wrong, ", ")
}

// NotAccepted says what is wrong with a change that the operator has not agreed to.
func NotAccepted(what, name string) string {
	return what + ": refused unless --accept " + name + " is given"
}
