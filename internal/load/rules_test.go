package load

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShapes holds that every rule is about a field that exists in a type that the file holds. A
// rule with a slip in its name would never be applied.
func TestShapes(t *testing.T) {
	reached := make(map[reflect.Type]bool)
	reach(reflect.TypeFor[entries](), reached)
	for kind, shape := range shapes {
		if !reached[kind] {
			t.Errorf("there are rules for %s, which the file does not hold", kind)
		}
		fields := fieldsOf(kind)
		for name := range shape {
			if _, known := fields[name]; !known {
				t.Errorf("there is a rule for %s of %s, which has no such field", name, kind)
			}
		}
	}
	for kind := range reached {
		if _, ruled := shapes[kind]; !ruled && kind.NumField() > 0 {
			t.Errorf("there is no rule for %s", kind)
		}
	}
}

// reach finds the structs that the file is made of.
func reach(kind reflect.Type, reached map[reflect.Type]bool) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	_, hasOwn := reflect.New(kind).Interface().(json.Unmarshaler)
	if kind.Kind() != reflect.Struct || hasOwn || reached[kind] {
		return
	}
	reached[kind] = true
	for name, place := range fieldsOf(kind) {
		if !shapes[kind][name].computed {
			reach(kind.FieldByIndex(place).Type, reached)
		}
	}
}

func TestParseAllow(t *testing.T) {
	got := make(map[string]string)
	want := map[string]string{
		"127.0.0.1":       "127.0.0.1/32",
		"10.1.2.3/8":      "10.0.0.0/8",
		"::1":             "::1/128",
		"2001:db8::1/32":  "2001:db8::/32",
		"::ffff:10.0.0.1": "10.0.0.1/32",
		"localhost":       `"localhost" is neither an address nor a CIDR block`,
		"10.0.0.1/":       `"10.0.0.1/" is neither an address nor a CIDR block`,
		"fe80::1%lo":      `"fe80::1%lo" is neither an address nor a CIDR block`,
	}
	for text := range want {
		prefix, err := ParseAllow(text)
		got[text] = prefix.String()
		if err != nil {
			got[text] = err.Error()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
