package load

import (
	"reflect"
	"slices"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
)

// The format of the file. Names are those of the interface where it has them. Each entry type has a
// file of its own, which describes its members and how it becomes an entity.

type entries struct {
	Banks     []bankEntry     `json:"banks"`
	Programs  []programEntry  `json:"programs"`
	Bins      []binEntry      `json:"bins"`
	Keys      []keyEntry      `json:"keys"`
	Customers []customerEntry `json:"customers"`
	Accounts  []accountEntry  `json:"accounts"`
	Access    []accessEntry   `json:"access"`
	Documents []documentEntry `json:"documents"`
	Cards     []cardEntry     `json:"cards"`
}

// form describes a type of mapping in the file.
type form struct {
	title   string
	says    string            // text before the table of members, where the title does not suffice
	members map[string]string // meaning of each, beyond its type and rules

	rules  map[string]problem.Member // as the package of the entity describes them
	filled []string                  // members that get a default if left out
	nested []string                  // lists whose entries are taken like top-level ones
	hidden []string                  // members whose changes are described separately
}

// needs reports whether the file must give a member of an entry that is not stored yet.
func (f form) needs(name string) bool {
	return f.rules[name].Required && !slices.Contains(f.filled, name)
}

// compared reports whether two entries are compared by a member.
func (f form) compared(name string) bool {
	return !f.rules[name].Computed && !slices.Contains(f.nested, name) &&
		!slices.Contains(f.hidden, name)
}

var fileForm = form{
	title: "file",
	members: map[string]string{
		"banks":     "Banks, and the encryption keys that each may use.",
		"programs":  "Programs: their settings, products, accounts and BINs.",
		"bins":      "BINs that are not listed inside a program.",
		"keys":      "API keys of calling programs.",
		"customers": "Customers of a program.",
		"accounts":  "Accounts of customers, with their balances.",
		"access":    "Rights of customers on accounts, their own included.",
		"documents": "Documents that customers must read and accept.",
		"cards":     "Cards that were made elsewhere; each gets a new number.",
	},
}

// forms has the form of every type of mapping in the file.
var forms = map[reflect.Type]form{
	reflect.TypeFor[entries]():                 fileForm,
	reflect.TypeFor[bankEntry]():               bankForm,
	reflect.TypeFor[pciKeyEntry]():             pciKeyForm,
	reflect.TypeFor[programEntry]():            programForm,
	reflect.TypeFor[binEntry]():                binForm,
	reflect.TypeFor[webhookEntry]():            webhookForm,
	reflect.TypeFor[keyEntry]():                keyForm,
	reflect.TypeFor[secretEntry]():             secretForm,
	reflect.TypeFor[customerEntry]():           customerForm,
	reflect.TypeFor[customer.Address]():        addressForm,
	reflect.TypeFor[accountEntry]():            accountForm,
	reflect.TypeFor[accessEntry]():             accessForm,
	reflect.TypeFor[documentEntry]():           documentForm,
	reflect.TypeFor[cardEntry]():               cardForm,
	reflect.TypeFor[program.Bank]():            programBankForm,
	reflect.TypeFor[program.Limit]():           limitForm,
	reflect.TypeFor[program.ProgramAccount]():  programAccountForm,
	reflect.TypeFor[program.ExternalAccount](): externalAccountForm,
	reflect.TypeFor[program.Product]():         productForm,
	reflect.TypeFor[program.InterestRate]():    rateForm,
}

// ownProgram is the program that an entry names, which the rules of its entity do not cover.
type ownProgram int

// Rules validates the program id.
func (p ownProgram) Rules(r *problem.Rules) { r.ID("programId", int(p)) }
