package event

import (
	"fmt"
	"slices"
	"strings"
)

// Filter selects events by type. An entry is a type, or a prefix of types followed by a star, such
// as card.* or card.pin.*; an empty filter selects all.
type Filter []string

// Matches reports whether the filter selects a type.
func (f Filter) Matches(kind Type) bool {
	if len(f) == 0 {
		return true
	}
	return slices.ContainsFunc(f, func(entry string) bool { return fits(entry, kind) })
}

func fits(entry string, kind Type) bool {
	beginning, open := strings.CutSuffix(entry, "*")
	if open {
		return strings.HasPrefix(string(kind), beginning)
	}
	return entry == string(kind)
}

// Problem returns the problem of a filter, or "" if it is valid. An entry that matches no type is a
// typo and would never match.
func (f Filter) Problem() string {
	for _, entry := range f {
		beginning, open := strings.CutSuffix(entry, "*")
		known := slices.ContainsFunc(Types(), func(kind Type) bool { return fits(entry, kind) })
		if !known || open && beginning != "" && !strings.HasSuffix(beginning, ".") {
			return fmt.Sprintf("%q is neither a type of event nor the beginning of one, such as card.*",
				entry)
		}
	}
	return ""
}
