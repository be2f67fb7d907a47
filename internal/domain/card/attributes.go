package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/fault"
)

// Attributes are the properties that a caller or an operator gives to a card and that no act looks
// at. The request, the card and an entry of an operator's file share this type, so that an
// attribute passes through all of them. A new one is a field here and a row of AttributeRules, from
// which the answers, the audit, the events, the store and the documents take it.
type Attributes struct {
	QualifierCode string `json:"qualifierCode"` // for the processor; empty when none
}

// AttributeRule says what an attribute means and what it may be. Each may be left out.
type AttributeRule struct {
	Name         string
	Says         string
	Example      string // in requests
	Max          int    // greatest length in characters
	Alphanumeric bool   // A to Z, a to z and 0 to 9 only
	InEvents     bool   // events show it when it looks like a code; otherwise the audit alone does
	At           func(*Attributes) *string
}

// AttributeRules has a row for each attribute, in the order of the columns that the store keeps.
var AttributeRules = []AttributeRule{
	{Name: "qualifierCode", Says: "Code that the card processor has agreed on for the BIN.",
		Example: "A1", Max: 3, Alphanumeric: true, InEvents: true,
		At: func(a *Attributes) *string { return &a.QualifierCode }},
}

// isAlphanumeric looks at a text as it was sent: some letters beyond ASCII have a capital within.
func isAlphanumeric(text string) bool { return strings.Trim(text, alphanumeric) == "" }

// attributes finds fault with attributes as a caller sent them.
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

// Rules tells what the attributes must be.
func (a Attributes) Rules(r *problem.Rules) {
	for _, rule := range AttributeRules {
		text := *rule.At(&a)
		r.MayText(rule.Name, text, rule.Max)
		if rule.Alphanumeric && !isAlphanumeric(text) {
			r.Add(rule.Name, "must have alphanumeric characters only")
		}
	}
}
