package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mintmark/internal/issuing"
	"mintmark/internal/problem"
	"mintmark/internal/web"
)

// How resources that an operator sets up become values of the domain, and how they are shown.

// settings reads the members of an object into a value of the domain, one by one, so that all
// problems are found at once. The members have the names that the value has in JSON.
func settings[T any](members map[string]json.RawMessage) (T, problem.List) {
	var read T
	var found problem.List
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text, err := json.Marshal(map[string]json.RawMessage{name: members[name]})
		var object map[string]any
		if err == nil {
			err = json.Unmarshal(text, &object)
		}
		if err == nil {
			err = json.Unmarshal(text, &read)
		}
		kind := (*json.UnmarshalTypeError)(nil)
		odd, isUnknown := unknownIn(object, reflect.TypeFor[T]())
		switch {
		case isUnknown && odd == name:
			found.Add(name, "is no member that is known here")
		case isUnknown:
			found.Add(name, "has the member %q, which is not known here", odd)
		case errors.As(err, &kind):
			found.Add(name, "holds a %s where another kind of value belongs", kind.Value)
		case err != nil:
			found.Add(name, "%s", err)
		}
	}
	return read, found
}

// unknownIn returns a member of a value in JSON for which a type has no field of that very name.
// Package json would take one in another letter case.
func unknownIn(value any, t reflect.Type) (name string, unknown bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := value.(type) {
	case []any:
		for i := 0; t.Kind() == reflect.Slice && i < len(value) && !unknown; i++ {
			name, unknown = unknownIn(value[i], t.Elem())
		}
	case map[string]any:
		fields := fieldsOf(t)
		for _, member := range slices.Sorted(maps.Keys(value)) {
			field, known := fields[member]
			switch {
			case unknown:
			case t.Kind() == reflect.Map:
				name, unknown = unknownIn(value[member], t.Elem())
			case known:
				name, unknown = unknownIn(value[member], field)
			case t.Kind() == reflect.Struct:
				name, unknown = member, true
			}
		}
	}
	return name, unknown
}

// membersOf returns a value as an object in JSON, without some of its members.
func membersOf(value any, without ...string) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, name := range without {
		delete(all, name)
	}
	return all, nil
}

// eachWithout returns a list of objects without one of their members.
func eachWithout(list json.RawMessage, name string) (json.RawMessage, error) {
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, err
	}
	for _, one := range all {
		delete(one, name)
	}
	return json.Marshal(all)
}

// shown reads a value of the domain into a resource whose members have the same names.
func shown[T any](value any, into *T) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// unchanged returns the problem of a patch that changes members which it cannot change.
func unchanged[A any](before, after A, names ...string) error {
	was, err := membersOf(before)
	if err != nil {
		return err
	}
	is, err := membersOf(after)
	if err != nil {
		return err
	}
	var found problem.List
	for _, name := range names {
		if !sameValue(was[name], is[name]) {
			found.Add(name, "cannot be changed")
		}
	}
	if len(found) > 0 {
		return web.Invalid(found)
	}
	return nil
}

// sameValue reports whether two values mean the same, whatever the order of their members. One that
// is not there is another than null.
func sameValue(one, other json.RawMessage) bool {
	return bytes.Equal(canonical(one), canonical(other))
}

func canonical(text json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // which keeps the digits
	var value any
	if decoder.Decode(&value) != nil {
		return text
	}
	written, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return written
}

// renamed gives the problems of an act the names of the members on the wire: pairs of the name in
// the domain and that on the wire.
func renamed(err error, pairs ...string) error {
	invalid := (*issuing.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	found := slices.Clone(invalid.Problems)
	for i := range found {
		for p := 0; p+1 < len(pairs); p += 2 {
			rest, begins := strings.CutPrefix(found[i].Path, pairs[p])
			if begins && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				found[i].Path = pairs[p+1] + rest
				break
			}
		}
	}
	return &issuing.InvalidError{Problems: found}
}

var searched = Parameter{"q", "Part of a name, an address or a number that is searched for."}
