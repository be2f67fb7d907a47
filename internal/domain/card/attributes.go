package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/fault"
)

// Attributes are properties of a card that a caller or an operator sets and no act uses. The
// request, the card and an entry of an operator's file share this type, so that an attribute passes
// through all of them. To add one, add a field here and a row to AttributeRules, from which the
// responses, the audit, the events, the store and the documents take it.
type Attributes struct {
	QualifierCode string `json:"qualifierCode"` // for the processor; empty if none
}

// AttributeRule describes an attribute and the values it may have. Each attribute is optional.
type AttributeRule struct {
	Name         string
	Says         string
	Example      string // in requests
	Max          int    // maximum length in characters
	Alphanumeric bool   // A to Z, a to z and 0 to 9 only
	InEvents     bool   // whether events include it if it looks like a code; the audit always does
	At           func(*Attributes) *string
}

// AttributeRules has a row for each attribute, in the order of the store's columns.
var AttributeRules = []AttributeRule{
	{Name: "qualifierCode", Says: "Code that the card processor has agreed on for the BIN.",
		Example: "A1", Max: 3, Alphanumeric: true, InEvents: true,
		At: func(a *Attributes) *string { return &a.QualifierCode }},
}

// isAlphanumeric checks a string as sent, because some letters beyond ASCII have a capital within
// it.
func isAlphanumeric(text string) bool { return strings.Trim(text, alphanumeric) == "" }

// attributes adds faults for invalid attributes as a caller sent them.
func (f *findings) attributes(a Attributes) {
	for _, rule := range AttributeRules {
		text := *rule.At(&a)
		switch {
		case !rule.Alphanumeric:
			f.atMost(rule.Name, text, rule.Max)
		case !isAlphanumeric(text) || utf8.RuneCountInString(text) > rule.Max:
			f.add(rule.Name, fault.ValueNotAcceptable, rule.Name,
				fmt.Sprintf("At most %d alphanumeric characters are allowed.", rule.Max))
		}
	}
}

// Rules checks each attribute.
func (a Attributes) Rules(r *problem.Rules) {
	for _, rule := range AttributeRules {
		text := *rule.At(&a)
		r.OptionalText(rule.Name, text, rule.Max)
		if rule.Alphanumeric && !isAlphanumeric(text) {
			r.Add(rule.Name, "must have alphanumeric characters only")
		}
	}
}
