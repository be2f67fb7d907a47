// Package strictjson reads JSON bodies in which everything must be valid: an unknown or duplicated
// member, a wrong type and a control character are problems, and all problems of a body are
// reported together. The faces of operators and of the card processor read their bodies with it,
// and the importers their rows. A body is read into a type (Decode), merged into a value (Merge),
// or read member by member (Read, ReadList, Open). By contrast, package jsonbody reads the bodies
// of the callers' interface and is lenient.
package strictjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

// Object is an object of a body whose members are read one by one. Its methods record problems, and
// return a zero value for a member with a problem.
type Object struct {
	path     string
	members  map[string]json.RawMessage
	order    []string // the names, in the order of the body
	taken    map[string]bool
	problems *problem.List
}

// Read reads a body that is one object. The function takes its members; the members that it does
// not take are unknown.
func Read(text []byte, take func(*Object)) problem.List {
	var problems problem.List
	if raw, ok := whole(text, &problems); ok {
		readObject(raw, "", &problems, take)
	}
	return problems
}

// ReadList reads a body that is a list of objects. It reads none of a list with more than most
// entries.
func ReadList(text []byte, most int, take func(*Object)) problem.List {
	var problems problem.List
	raw, ok := whole(text, &problems)
	if !ok {
		return problems
	}
	for i, entry := range readList(raw, most, &problems, "") {
		readObject(entry, entryPath("", i), &problems, take)
	}
	return problems
}

// Open is Read for a caller that takes the members later, and repeatedly. If the body is not an
// object, it returns nil and the problem.
func Open(text []byte) (*Object, problem.List) {
	var problems problem.List
	raw, ok := whole(text, &problems)
	if !ok {
		return nil, problems
	}
	o := newObject(raw, "", &problems)
	if o == nil {
		return nil, problems
	}
	return o, nil
}

// Rest records a problem for each member that was not taken, and returns all problems since the
// last call.
func (o *Object) Rest() problem.List {
	o.rest()
	problems := *o.problems
	*o.problems = nil
	return problems
}

// whole returns the body without surrounding space.
func whole(text []byte, problems *problem.List) (json.RawMessage, bool) {
	if odd := odd(text); odd != "" {
		problems.Add("", "%s", odd)
		return nil, false
	}
	return bytes.TrimSpace(text), true
}

// odd returns why a text is not JSON, or cannot be stored unchanged; it is empty for a valid text.
func odd(text []byte) string {
	switch {
	case !utf8.Valid(text) || !json.Valid(text):
		return noJSON
	case halfPair(text):
		return noPair
	}
	return ""
}

// halfPair reports whether JSON contains half of a surrogate pair, which a reader would replace.
func halfPair(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '\\') // in a string: JSON has it nowhere else
		if at < 0 {
			return false
		}
		text = text[at:]
		first := unit(text)
		switch {
		case !utf16.IsSurrogate(first):
			text = text[2:]
		case utf16.DecodeRune(first, unit(text[6:])) == unicode.ReplacementChar:
			return true
		default:
			text = text[12:]
		}
	}
}

// unit returns the code unit of the escape, such as \ud83d, with which a text begins, or 0.
func unit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(text[2:6]), 16, 16) // the JSON is valid
	return rune(n)
}

func readObject(raw json.RawMessage, path string, problems *problem.List, take func(*Object)) {
	if o := newObject(raw, path, problems); o != nil {
		take(o)
		o.rest()
	}
}

// newObject returns an object with its members, or nil if raw is not an object.
func newObject(raw json.RawMessage, path string, problems *problem.List) *Object {
	o := &Object{
		path: path, members: map[string]json.RawMessage{}, taken: map[string]bool{}, problems: problems,
	}
	if !o.split(raw) {
		return nil
	}
	return o
}

func (o *Object) rest() {
	for _, name := range o.order {
		if !o.taken[name] {
			o.add(name, Unknown)
		}
	}
}

// split splits valid JSON into members.
func (o *Object) split(raw json.RawMessage) bool {
	if raw[0] != '{' {
		o.problems.Add(o.path, noObject)
		return false
	}
	for name, member := range Members(raw) {
		if _, twice := o.members[name]; twice {
			o.add(name, duplicated)
			continue
		}
		o.members[name] = member
		o.order = append(o.order, name)
	}
	return true
}

// add records a problem with a member.
func (o *Object) add(name, text string) { Reject(o.problems, o.path, name, text) }

// take returns a member; null counts as absent.
func (o *Object) take(name string) (json.RawMessage, bool) {
	o.taken[name] = true
	raw, given := o.members[name]
	return raw, given && string(raw) != "null"
}

// String takes a string of one line.
func (o *Object) String(name string) string {
	raw, given := o.take(name)
	if !given {
		return ""
	}
	text, ok := readText(raw)
	switch {
	case !ok:
		o.add(name, notAString)
		return ""
	case !IsLine(text):
		o.add(name, isControl)
		return ""
	}
	return text
}

// Int takes a whole number in plain digits.
func (o *Object) Int(name string) int {
	raw, given := o.take(name)
	if !given {
		return 0
	}
	number, ok := readNumber(raw)
	if !ok {
		o.add(name, notAnInt)
		return 0
	}
	return number
}

// Time takes a date and time in RFC 3339.
func (o *Object) Time(name string) time.Time {
	text := o.String(name)
	if text == "" {
		return time.Time{}
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		o.add(name, noMoment)
		return time.Time{}
	}
	return moment
}

// Bool takes true or false.
func (o *Object) Bool(name string) bool {
	raw, given := o.take(name)
	if !given {
		return false
	}
	truth, ok := readTruth(raw)
	if !ok {
		o.add(name, notABool)
	}
	return truth
}

// Amount takes an amount, a JSON number.
func (o *Object) Amount(name string) value.Amount {
	var amount value.Amount
	raw, given := o.take(name)
	if !given {
		return amount
	}
	if err := amount.UnmarshalJSON(raw); err != nil {
		o.add(name, err.Error())
	}
	return amount
}

// Has reports whether a member is in the object, even if it is null. It does not take the member.
func (o *Object) Has(name string) bool {
	_, given := o.members[name]
	return given
}

// Nested takes a member that is an object. Null counts as absent.
func (o *Object) Nested(name string, take func(*Object)) {
	if raw, given := o.take(name); given {
		readObject(raw, problem.Join(o.path, name), o.problems, take)
	}
}

// Raw takes a member without decoding it, nil if it is absent.
func (o *Object) Raw(name string) json.RawMessage {
	raw, given := o.take(name)
	if !given {
		return nil
	}
	return raw
}

// Reject records a problem with a member that was taken.
func (o *Object) Reject(name, text string) { o.add(name, text) }

// Check records the problems of a value that was built from the members, except for members that
// already have one because they could not be read.
func (o *Object) Check(value problem.Ruled) {
	for _, wrong := range problem.Check(value) {
		path := problem.Join(o.path, wrong.Path)
		known := func(p problem.Problem) bool { return p.Path == path }
		if !slices.ContainsFunc(*o.problems, known) {
			o.problems.Add(path, "%s", wrong.Text)
		}
	}
}
