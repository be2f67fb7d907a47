package admin

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
)

// Conversion of set-up resources between the domain and the wire.

// settings decodes the members of an object into a value of the domain with the same JSON names. It
// returns all problems, each at the innermost member concerned.
func settings[T any](members map[string]json.RawMessage) (T, problem.List) {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // made of valid JSON
	}
	return strictjson.Decode[T](text)
}

// membersOf returns the members of a value's JSON, without some of them.
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

// shown converts a value of the domain to a resource with the same member names.
func shown[T any](value any, into *T) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// renamed replaces the domain's member names in the problems of an act with those of the wire.
// Pairs are a domain name and a wire name.
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
