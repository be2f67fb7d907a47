package load

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

// Example is a small but complete file: a bank with a program, a key, and a customer who can order
// a card.
const Example = `banks:
  - {bankId: 1, name: First Bank, pciKeys: [{pciKeyId: 1, status: 1}]}
programs:
  - programId: 1
    bankId: 1
    name: Everyday
    decimalCount: 2
    timeZone: America/New_York
    publicKeyAlgorithms: RSA-OAEP-SHA256-MGF1
    bank: {name: First Bank, timeZone: America/New_York}
    bins:
      - {binId: 1, vendorTypeCode: VS, isActive: true,
         firstBody: "400551000000000", lastBody: "400551999999999"}
keys:
  - name: app
    programId: 1
    version: 2
    secrets: [{secret: replace-me-Qw7sD2kLx9VtJq2b7LkD4mN8pQ1rT5uY}]
    allow: [10.0.0.0/8]
customers:
  - customerId: 1
    programId: 1
    status: Verified
    access: FULL
    birthDate: 1985-03-14
    firstName: Ada
    lastName: Example
    mobilePhone: 212-555-0100
    mailing: {line1: 1 Main Street, city: New York, postalCode: "10001", country: US}
accounts:
  - {accountId: 1, programId: 1, customerId: 1, type: Checking, status: Open,
     name: Checking, accountNumber: "100000000001", accountBalance: 25.00}
access:
  - {programId: 1, customerId: 1, accountId: 1, access: FULL}
`

// Summary describes the lists of a file in a few lines, for the command line.
func Summary() string {
	var text strings.Builder
	file := reflect.TypeFor[entries]()
	for _, m := range membersOf(file) {
		fmt.Fprintf(&text, "  %-10s %s\n", m.name, forms[file].members[m.name])
	}
	return text.String()
}

// member is a name in a mapping with the type of its value.
type member struct {
	name string
	kind reflect.Type
	rule problem.Member
	need bool
}

// membersOf returns the members that a file may give, in the order of the type: all except those
// that the service fills itself.
func membersOf(kind reflect.Type) []member {
	var all []member
	for _, field := range reflect.VisibleFields(kind) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue // an embedded struct, whose members follow
		}
		own := field.Type
		if own.Kind() == reflect.Pointer {
			own = own.Elem()
		}
		m := member{
			name: name, kind: own, rule: forms[kind].rules[name], need: forms[kind].needs(name),
		}
		if !m.rule.Computed {
			all = append(all, m)
		}
	}
	return all
}

// isMapping reports whether a type is a mapping with members, not one that parses its text itself.
func isMapping(kind reflect.Type) bool {
	return kind.Kind() == reflect.Struct && kind.NumField() > 0 && scalarNames[kind] == ""
}

var atMost = regexp.MustCompile(`text, at most (\d+) characters`)

// value describes the value of a member: its type, then its constraints.
func (m member) value() string {
	text := typeName(m.kind)
	for _, demand := range m.rule.Demands {
		if m.kind.Kind() == reflect.Int {
			text += " " + demand
			continue
		}
		text += ", " + demand
	}
	if text == "whole number from 1 to 2147483647" {
		return "identifier"
	}
	return atMost.ReplaceAllString(text, "text of $1")
}

var scalarNames = map[reflect.Type]string{
	reflect.TypeFor[value.Time]():   "date-time",
	reflect.TypeFor[value.Amount](): "amount",
	reflect.TypeFor[value.Rate]():   "rate",
	reflect.TypeFor[struct{}]():     "`{}`",
}

func typeName(kind reflect.Type) string {
	switch {
	case scalarNames[kind] != "":
		return scalarNames[kind]
	case kind.Kind() == reflect.Struct:
		return linked(kind, forms[kind].title)
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Int:
		return "list of whole numbers"
	case kind.Kind() == reflect.Slice:
		return "list of " + typeName(kind.Elem())
	case kind.Kind() == reflect.String:
		return "text"
	case kind.Kind() == reflect.Bool:
		return "true or false"
	case kind.Kind() == reflect.Int:
		return "whole number"
	}
	return "number"
}

// linked returns a link to the table of a mapping.
func linked(kind reflect.Type, text string) string {
	anchor := strings.ReplaceAll(strings.ToLower(forms[kind].title), " ", "-")
	return fmt.Sprintf("[%s](#%s)", text, anchor)
}
