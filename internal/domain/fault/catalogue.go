package fault

import (
	"cmp"
	"fmt"
	"slices"
)

// catalogue maps kinds to rows; ordered holds the same rows in the order of Entries.
var (
	catalogue = index(commonEntries, programEntries, bodyEntries, customerEntries,
		documentEntries, createEntries, lockEntries, accountEntries, cardEntries)
	ordered = byCode()
)

// Lookup returns the row of a kind. It panics if a kind has no row, which is a bug.
func Lookup(kind Kind) *Entry {
	entry := catalogue[kind]
	if entry == nil {
		panic(fmt.Sprintf("fault: kind %d has no row in the catalogue", kind))
	}
	return entry
}

// Entries returns every row, ordered by code and then by kind.
func Entries() []*Entry { return slices.Clone(ordered) }

// index builds the lookup table. It panics if a kind has two rows.
func index(groups ...[]Entry) map[Kind]*Entry {
	byKind := make(map[Kind]*Entry)
	for _, group := range groups {
		for i := range group {
			entry := &group[i]
			if byKind[entry.Kind] != nil {
				panic(fmt.Sprintf("fault: kind %d has two rows", entry.Kind))
			}
			byKind[entry.Kind] = entry
		}
	}
	return byKind
}

// byCode returns the sorted rows. It looks up every kind, so that a kind without a row stops the
// program at startup rather than when the fault is first returned.
func byCode() []*Entry {
	var all []*Entry
	for kind := range numKinds {
		all = append(all, Lookup(kind))
	}
	slices.SortFunc(all, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}
