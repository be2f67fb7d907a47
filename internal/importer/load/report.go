package load

import (
	"fmt"
	"reflect"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
)

// Report is the result of a load.
type Report struct {
	// Notes lists changes that are allowed but may be mistakes, as FILE:LINE: text.
	Notes []string

	counts importer.Counts
	lines  []string
	bytes  int // of the documents that differ
}

// lists holds the names of the counts in the order of reports.
var lists = []string{
	"banks", "pciKeys", "programs", "bins", "webhooks", "keys", "customers", "accounts",
	"access", "documents", "cards",
}

func newReport() *Report { return &Report{counts: make(importer.Counts)} }

// Lines returns the counts as text, one list a line.
func (r *Report) Lines() []string { return r.counts.Lines(lists) }

func (r *Report) count(list string) *importer.Tally { return r.counts.Of(list) }

func (r *Report) added(at label) {
	r.count(at.list).Added++
	r.lines = append(r.lines, fmt.Sprintf("%s %s: added", at.list, at.name))
}

func (r *Report) addChange(at label, changes []string) {
	r.count(at.list).Changed++
	for _, change := range changes {
		r.lines = append(r.lines, fmt.Sprintf("%s %s: %s", at.list, at.name, change))
	}
}

func (r *Report) unchanged(at label) { r.count(at.list).Unchanged++ }

func (r *Report) add(other *Report) {
	r.Notes = append(r.Notes, other.Notes...)
	r.counts.Add(other.counts)
}

// differences lists what differs between two forms of an entry, as "member: from → to".
func differences[E any](before, after E) []string {
	var texts []string
	differ(reflect.ValueOf(before), reflect.ValueOf(after), "", func(path string, from, to any) {
		texts = append(texts, entity.Change(path, from, to))
	})
	return texts
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

// sameValue compares values that have no parts; simple is false for the others. Amounts are
// compared regardless of their printed digits, and times regardless of their zone.
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
