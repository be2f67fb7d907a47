package importer

import (
	"fmt"
	"strings"
)

// Tally counts the entries of a list by how they differ from their stored form.
type Tally struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// Counts holds the tally of each list, by name.
type Counts map[string]*Tally

// Of returns the tally of a list and creates it if necessary.
func (c Counts) Of(list string) *Tally {
	if c[list] == nil {
		c[list] = &Tally{}
	}
	return c[list]
}

// Add adds the tallies of others to those of c, list by list.
func (c Counts) Add(others Counts) {
	for list, other := range others {
		sum := c.Of(list)
		sum.Added += other.Added
		sum.Changed += other.Changed
		sum.Unchanged += other.Unchanged
	}
}

// Differs reports whether any entry differs from its stored form.
func (c Counts) Differs() bool {
	for _, tally := range c {
		if tally.Added+tally.Changed > 0 {
			return true
		}
	}
	return false
}

// Lines returns the counts as text, one list a line, in the given order.
func (c Counts) Lines(order []string) []string {
	var lines []string
	for _, list := range order {
		if tally, ok := c[list]; ok {
			lines = append(lines, fmt.Sprintf("%-9s %d added, %d changed, %d unchanged",
				list, tally.Added, tally.Changed, tally.Unchanged))
		}
	}
	return lines
}

// Short returns the counts in one line: added, changed and unchanged entries of each list.
func (c Counts) Short(order []string) string {
	var parts []string
	for _, list := range order {
		if tally, ok := c[list]; ok {
			parts = append(parts, fmt.Sprintf("%s +%d ~%d =%d",
				list, tally.Added, tally.Changed, tally.Unchanged))
		}
	}
	return strings.Join(parts, ", ")
}
