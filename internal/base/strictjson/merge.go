package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"mintmark/internal/base/problem"
)

// Merge applies a merge patch (RFC 7396) to a value, and returns all problems of the patch: those
// of Decode, and changes of fixed members. If the patch has problems, Merge still merges the
// members that it can read. An error is one of the value before.
func Merge[T any](before T, patch []byte, fixed ...string) (after T, problems problem.List, err error) {
	text, err := json.Marshal(before)
	if err != nil {
		return after, nil, err
	}
	_, problems = Decode[T](patch)
	problems = append(problems, checkFixed(text, patch, fixed)...)
	text, err = jsonpatch.MergePatch(text, patch)
	switch {
	case err != nil && len(problems) == 0:
		problems = unreadable(err)
	case err != nil: // no object
	case len(problems) > 0:
		decode(text, reflect.ValueOf(&after).Elem())
	default:
		// The stored value is not checked again: it may be older than a rule.
		if err := json.Unmarshal(text, &after); err != nil {
			problems = unreadable(err)
		}
	}
	return after, problems, nil
}

// checkFixed returns the problems of the fixed members that a patch would change.
func checkFixed(before, patch []byte, fixed []string) problem.List {
	var was, given map[string]json.RawMessage
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(patch, &given) != nil {
		return nil
	}
	var problems problem.List
	for _, name := range fixed {
		value, ok := given[name]
		takesNothing := string(value) == "null" && was[name] == nil
		if ok && !takesNothing && !Same(value, was[name]) {
			problems.Add(name, "cannot be changed")
		}
	}
	return problems
}

// Same reports whether two values mean the same, regardless of the order of members. An absent
// value differs from null.
func Same(a, b json.RawMessage) bool { return bytes.Equal(canonical(a), canonical(b)) }

func canonical(text json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // preserves the digits
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

// Rename returns an object with renamed members, and without those for which rename reports false.
// The values stay unchanged, and so do duplicates. A text that is not an object is returned
// unchanged.
func Rename(object []byte, rename func(name string) (to string, ok bool)) []byte {
	object = bytes.TrimSpace(object)
	if !json.Valid(object) || object[0] != '{' {
		return object
	}
	renamed := bytes.NewBufferString("{")
	for name, value := range Members(object) {
		to, ok := rename(name)
		if !ok {
			continue
		}
		if renamed.Len() > 1 {
			renamed.WriteByte(',')
		}
		member, err := json.Marshal(to)
		if err != nil {
			panic(err) // a string can always be encoded
		}
		renamed.Write(member)
		renamed.WriteByte(':')
		renamed.Write(value)
	}
	renamed.WriteByte('}')
	return renamed.Bytes()
}
