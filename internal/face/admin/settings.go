package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
)

// How resources that an operator sets up become values of the domain, and how they are shown.

// settings reads the members of an object into a value of the domain, whose JSON names they have.
// All problems are found at once, each at the innermost member that has it.
func settings[T any](members map[string]json.RawMessage) (T, problem.List) {
	var read T
	s := &settingsReader{}
	s.readMembers(members, reflect.ValueOf(&read).Elem(), "")
	return read, s.problems
}

// settingsReader collects the problems of settings.
type settingsReader struct{ problems problem.List }

func (s *settingsReader) readMembers(
	members map[string]json.RawMessage, into reflect.Value, path string,
) {
	fields := strictjson.Fields(into.Type())
	for _, name := range slices.Sorted(maps.Keys(members)) {
		field, known := fields[name]
		if !known {
			strictjson.Reject(&s.problems, path, name, strictjson.Unknown)
			continue
		}
		s.read(members[name], into.FieldByIndex(field.Index), problem.Join(path, name))
	}
}

// read reads valid JSON into a value. A null is not given.
func (s *settingsReader) read(raw json.RawMessage, into reflect.Value, path string) {
	if string(raw) == "null" {
		return
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	target := into.Addr().Interface()
	_, readsItself := target.(json.Unmarshaler)
	switch {
	case into.Kind() == reflect.Struct && !readsItself:
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			s.problems.Add(path, "must be an object")
		}
		s.readMembers(members, into, path)
	case into.Kind() == reflect.Slice:
		var entries []json.RawMessage
		if json.Unmarshal(raw, &entries) != nil {
			s.problems.Add(path, "must be a list")
		}
		into.Set(reflect.MakeSlice(into.Type(), len(entries), len(entries)))
		for i, entry := range entries {
			s.read(entry, into.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		if err := json.Unmarshal(raw, target); err != nil {
			s.problems.Add(path, "%s", unreadable(err, readsItself))
		}
	}
}

// unreadable says why a value cannot be read. A type that reads itself, a decimal number, quotes the
// value with the quotes of a text.
func unreadable(err error, readsItself bool) string {
	kind := (*json.UnmarshalTypeError)(nil)
	switch {
	case readsItself:
		return strings.ReplaceAll(err.Error(), `\"`, "")
	case !errors.As(err, &kind):
		return err.Error()
	}
	switch kind.Type.Kind() {
	case reflect.Int:
		return "must be a whole number"
	case reflect.Bool:
		return "must be true or false"
	}
	return "must be a text"
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
	for _, members := range all {
		delete(members, name)
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

// sameValue reports whether two values mean the same, whatever the order of their members. One that
// is not there is another than null.
func sameValue(a, other json.RawMessage) bool {
	return bytes.Equal(canonical(a), canonical(other))
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
	invalid := (*problem.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	problems := slices.Clone(invalid.Problems)
	for i := range problems {
		for p := 0; p+1 < len(pairs); p += 2 {
			rest, begins := strings.CutPrefix(problems[i].Path, pairs[p])
			if begins && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				problems[i].Path = pairs[p+1] + rest
				break
			}
		}
	}
	return problems.Err()
}

var searched = Field{
	Name: "q", Label: "Search",
	Help: "Part of a name, an address or a number that is searched for.",
}
