package admin

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/base/strictjson"
)

// has reports whether a type has a member. A dot in the name separates a member from a member of
// its object.
func has(t reflect.Type, name string) bool {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return false
	}
	outer, inner, nested := strings.Cut(name, ".")
	field, ok := strictjson.Fields(t)[outer]
	return ok && (!nested || has(field.Type, inner))
}

// TestResources checks that a resource describes only members that exist on the wire, and every
// member of a request.
func TestResources(t *testing.T) {
	t.Parallel()
	for _, r := range Resources() {
		var types []reflect.Type
		for _, o := range []*Op{r.Show, r.Create, r.Change} {
			if o != nil {
				types = append(types, o.Request, o.Reply)
			}
		}
		if r.List != nil {
			types = append(types, r.List.Item())
			for _, name := range r.Columns {
				if !has(r.List.Item(), name) {
					t.Errorf("%s: the list has no member for the column %s", r.Noun, name)
				}
			}
		}
		wantFields(t, r.Noun, r.Fields, types...)
		for _, o := range []*Op{r.Create, r.Change} {
			wantNamed(t, r.Noun, o, r.Fields)
		}
		for _, o := range slices.Concat(r.CollectionActs, r.Acts) {
			wantFields(t, r.Noun+" "+o.Name, o.Fields, o.Request)
			wantNamed(t, r.Noun, o, o.Fields)
		}
		for _, o := range r.Ops() {
			if strings.Count(o.Path, "{") != len(o.Params) {
				t.Errorf("%s %s: a parameter of %s is not described", r.Noun, o.Name, o.Path)
			}
		}
	}
}

// wantFields checks that each field is a member of one of the types, and has a label.
func wantFields(t *testing.T, of string, fields []Field, types ...reflect.Type) {
	t.Helper()
	for _, f := range fields {
		if !slices.ContainsFunc(types, func(t reflect.Type) bool { return has(t, f.Name) }) {
			t.Errorf("%s: nothing has a member for the field %s", of, f.Name)
		}
		if f.Label == "" {
			t.Errorf("%s: the field %s has no label", of, f.Name)
		}
	}
}

// wantNamed checks that every member of a request has a field, except those that a patch cannot
// change, and reason and revision, which the engine reads.
func wantNamed(t *testing.T, of string, o *Op, fields []Field) {
	t.Helper()
	if o == nil || o.Request == nil {
		return
	}
	for name := range strictjson.Fields(o.Request) {
		known := name == "reason" || name == "revision" || slices.Contains(o.fixed, name)
		if !known && !slices.ContainsFunc(fields, func(f Field) bool {
			outer, _, _ := strings.Cut(f.Name, ".")
			return outer == name
		}) {
			t.Errorf("%s %s: no field says what the member %s is", of, o.Name, name)
		}
	}
}
