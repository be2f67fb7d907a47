package admin

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
)

// How resources that an operator sets up become values of the domain, and how they are shown.

// settings reads the members of an object into a value of the domain, whose JSON names they have.
// All problems are found at once, each at the innermost member that has it.
func settings[T any](members map[string]json.RawMessage) (T, problem.List) {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // of JSON
	}
	return strictjson.Decode[T](text)
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
