package load

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mintmark/internal/problem"
	"mintmark/internal/value"
)

// Report tells what a file changes.
type Report struct {
	// Notes are changes that are allowed and may be slips, as FILE:LINE: text.
	Notes []string

	counts map[string]*tally
	lines  []string
	bytes  int // of the documents that differ
}

// tally is how many entries of a list differ from their stored form.
type tally struct {
	Added, Changed, Unchanged int
}

// lists are the names under which entries are counted, in order.
var lists = []string{
	"banks", "pciKeys", "programs", "bins", "webhooks", "keys", "customers", "accounts",
	"access", "documents", "cards",
}

func newReport() *Report { return &Report{counts: make(map[string]*tally)} }

// Lines tells the counts, a list on each line.
func (r *Report) Lines() []string {
	var lines []string
	for _, list := range lists {
		if count, there := r.counts[list]; there {
			lines = append(lines, fmt.Sprintf("%-9s %d added, %d changed, %d unchanged",
				list, count.Added, count.Changed, count.Unchanged))
		}
	}
	return lines
}

// short tells the counts in one line: added, changed and unchanged of each list.
func (r *Report) short() string {
	var parts []string
	for _, list := range lists {
		if count, there := r.counts[list]; there {
			parts = append(parts, fmt.Sprintf("%s +%d ~%d =%d",
				list, count.Added, count.Changed, count.Unchanged))
		}
	}
	return strings.Join(parts, ", ")
}

func (r *Report) count(list string) *tally {
	if r.counts[list] == nil {
		r.counts[list] = &tally{}
	}
	return r.counts[list]
}

func (r *Report) added(at label) {
	r.count(at.list).Added++
	r.lines = append(r.lines, fmt.Sprintf("%s %s: added", at.list, at.name))
}

func (r *Report) changed(at label, changes []string) {
	r.count(at.list).Changed++
	for _, change := range changes {
		r.lines = append(r.lines, fmt.Sprintf("%s %s: %s", at.list, at.name, change))
	}
}

func (r *Report) unchanged(at label) { r.count(at.list).Unchanged++ }

// differs reports whether an entry differs from its stored form.
func (r *Report) differs() bool {
	for _, count := range r.counts {
		if count.Added+count.Changed > 0 {
			return true
		}
	}
	return false
}

func (r *Report) add(other *Report) {
	r.Notes = append(r.Notes, other.Notes...)
	for list, count := range other.counts {
		sum := r.count(list)
		sum.Added += count.Added
		sum.Changed += count.Changed
		sum.Unchanged += count.Unchanged
	}
}

// differences lists what differs between two forms of an entry, as member: from → to.
func differences[E any](before, after E) []string {
	var found []string
	differ(reflect.ValueOf(before), reflect.ValueOf(after), "", func(path string, from, to any) {
		found = append(found, fmt.Sprintf("%s: %s → %s", path, shown(from), shown(to)))
	})
	return found
}

func differ(before, after reflect.Value, path string, say func(path string, from, to any)) {
	if alike, simple := sameValue(before, after); simple {
		if !alike {
			say(path, before.Interface(), after.Interface())
		}
		return
	}
	switch before.Kind() {
	case reflect.Pointer:
		if before.IsNil() || after.IsNil() {
			if before.IsNil() != after.IsNil() {
				say(path, before.Interface(), after.Interface())
			}
			return
		}
		differ(before.Elem(), after.Elem(), path, say)
	case reflect.Slice:
		if before.Len() != after.Len() {
			say(path, before.Interface(), after.Interface())
			return
		}
		for i := range before.Len() {
			differ(before.Index(i), after.Index(i), fmt.Sprintf("%s[%d]", path, i), say)
		}
	case reflect.Struct:
		form := forms[before.Type()]
		for name, place := range fieldsOf(before.Type()) {
			if form.compared(name) {
				differ(before.FieldByIndex(place), after.FieldByIndex(place),
					problem.Join(path, name), say)
			}
		}
	}
}

// sameValue compares values that have no parts. Amounts are alike whatever the digits they are
// printed with, and times whatever their zone.
func sameValue(before, after reflect.Value) (alike, simple bool) {
	switch from := before.Interface().(type) {
	case value.Time:
		to, _ := after.Interface().(value.Time)
		return from.Equal(to.Time), true
	case value.Amount:
		to, _ := after.Interface().(value.Amount)
		return from.TenThousandths == to.TenThousandths, true
	case value.Rate:
		to, _ := after.Interface().(value.Rate)
		return from.Equal(to.Decimal), true
	}
	switch before.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Struct, reflect.Map:
		return false, false
	}
	return before.Equal(after), true
}

// shown is a value as an operator reads it.
func shown(v any) string {
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
