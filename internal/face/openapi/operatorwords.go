package openapi

import (
	"cmp"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"mintmark/internal/face/admin"
)

// operatorWord returns the description of a member of a type of package client/admin: that of the
// resource's field, that in sharedWords, or that of the callers' interface for a member with the
// same name.
func operatorWord(t reflect.Type, field reflect.StructField, name string) string {
	owner := ownerOf(t, field).Name()
	for _, key := range []string{t.Name() + "." + name, owner + "." + name, name} {
		if words := cmp.Or(fieldWords()[key], sharedWords[key]); words != "" {
			return words
		}
	}
	return words[name].says
}

// fieldWords returns the descriptions of members from the fields of the resources. Keys are type
// and member, joined with a dot.
var fieldWords = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	say := func(t reflect.Type, id admin.Param, fields []admin.Field) {
		words[t.Name()+".id"] = id.Help
		for _, f := range fields {
			words[t.Name()+"."+f.Name] = fieldText(f)
		}
	}
	for _, r := range admin.Resources() {
		for _, o := range r.Ops() {
			switch {
			case o == r.List:
				say(o.Item(), r.ID, r.Fields)
			case o == r.Show || o == r.Create || o == r.Change:
				say(o.Reply, r.ID, r.Fields)
				if o.Request != nil {
					say(o.Request, r.ID, r.Fields)
				}
			case o.Request != nil:
				say(o.Request, admin.Param{}, o.Fields)
			}
		}
	}
	return words
})

// fieldText returns the description of a field: its label, help and values.
func fieldText(f admin.Field) string {
	text := f.Label
	if f.Help != "" {
		if unicode.IsUpper(rune(f.Help[0])) {
			text = sentence(text) + " " + f.Help
		} else {
			text += ": " + f.Help
		}
	}
	text = sentence(text)
	values, between, first := make([]string, len(f.Choices)), ", ", " One of "
	for i, c := range f.Choices {
		values[i] = c.Value
		if c.Label != c.Value {
			values[i] += ": " + c.Label
			between, first = "; ", " "
		}
		if c.Help != "" {
			values[i] += " (" + c.Help + ")"
		}
	}
	if len(values) > 0 {
		text += first + strings.Join(values, between) + "."
	}
	return text
}

// sentence adds a full stop unless the text ends with one or with a question mark.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
