package intake

import (
	"encoding/json"
	"fmt"
	"strings"

	"mintmark/internal/base/value"
)

// Tally is how many entries of a list differ from their stored form.
type Tally struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// Counts are the tallies of lists, by the names of these.
type Counts map[string]*Tally

// Of returns the tally of a list.
func (c Counts) Of(list string) *Tally {
	if c[list] == nil {
		c[list] = &Tally{}
	}
	return c[list]
}

// Add adds the tallies of other lists, or of more entries of the same ones.
func (c Counts) Add(others Counts) {
	for list, other := range others {
		sum := c.Of(list)
		sum.Added += other.Added
		sum.Changed += other.Changed
		sum.Unchanged += other.Unchanged
	}
}

// Differs reports whether an entry differs from its stored form.
func (c Counts) Differs() bool {
	for _, one := range c {
		if one.Added+one.Changed > 0 {
			return true
		}
	}
	return false
}

// Lines tells the counts, a list on each line, in a given order.
func (c Counts) Lines(order []string) []string {
	var lines []string
	for _, list := range order {
		if one, there := c[list]; there {
			lines = append(lines, fmt.Sprintf("%-9s %d added, %d changed, %d unchanged",
				list, one.Added, one.Changed, one.Unchanged))
		}
	}
	return lines
}

// Short tells the counts in one line: added, changed and unchanged of each list.
func (c Counts) Short(order []string) string {
	var parts []string
	for _, list := range order {
		if one, there := c[list]; there {
			parts = append(parts, fmt.Sprintf("%s +%d ~%d =%d",
				list, one.Added, one.Changed, one.Unchanged))
		}
	}
	return strings.Join(parts, ", ")
}

// Change says how a member differs: member: from → to.
func Change(path string, from, to any) string {
	return fmt.Sprintf("%s: %s → %s", path, Shown(from), Shown(to))
}

// Shown is a value as an operator reads it.
func Shown(v any) string {
	switch v := v.(type) {
	case value.Time:
		if v.IsZero() {
			return "none"
		}
	case value.Amount:
		return v.Fixed(v.Digits()).String()
	case string:
		if v == "" {
			return "none"
		}
		return v
	}
	text, err := json.Marshal(v)
	if err != nil || string(text) == "null" {
		return "none"
	}
	return strings.Trim(string(text), `"`)
}
