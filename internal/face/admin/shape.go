package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
)

// problemsOf returns all that is wrong with the shape of a body that shall become a value of a
// type: members that are not known or stand twice, and values of another kind. A null counts as a
// member that is not given.
func problemsOf(body []byte, t reflect.Type) problem.List {
	s := &shape{}
	if odd := strictjson.Odd(body); odd != "" {
		s.found.Add("", "%s", odd)
		return s.found
	}
	if body = bytes.TrimSpace(body); body[0] != '{' {
		s.found.Add("", "must be an object")
		return s.found
	}
	s.check(body, t, "")
	return s.found
}

// shape collects the problems of one body.
type shape struct{ found problem.List }

const unknownMember = "is no member that is known here"

// mostEntries is the length of a list in a body.
const mostEntries = 1000

var (
	momentType = reflect.TypeFor[time.Time]()
	numberType = reflect.TypeFor[json.Number]()
	rawType    = reflect.TypeFor[json.RawMessage]()
	readsJSON  = reflect.TypeFor[json.Unmarshaler]()
)

// check looks at valid JSON without space around it.
func (s *shape) check(raw json.RawMessage, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if string(raw) == "null" {
		return
	}
	switch t {
	case momentType:
		s.moment(raw, path)
		return
	case numberType:
		s.want(raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9', path, "must be a number")
		return
	case rawType:
		s.texts(raw, path)
		return
	}
	switch t.Kind() {
	case reflect.String:
		s.text(raw, path)
	case reflect.Bool:
		s.want(raw[0] == 't' || raw[0] == 'f', path, "must be true or false")
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		s.want(err == nil && n >= math.MinInt32 && n <= math.MaxInt32, path,
			"must be a whole number")
	case reflect.Float64:
		_, err := strconv.ParseFloat(string(raw), 64)
		s.want(err == nil && raw[0] != '"', path, "must be a number")
	case reflect.Slice:
		s.list(raw, t, path)
	case reflect.Map:
		s.object(raw, path, func(string) (reflect.Type, bool) { return t.Elem(), true })
	case reflect.Struct:
		s.structure(raw, t, path)
	}
}

func (s *shape) want(right bool, path, text string) {
	if !right {
		s.found.Add(path, "%s", text)
	}
}

func (s *shape) moment(raw json.RawMessage, path string) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		moment, err := time.Parse(time.RFC3339, text)
		if err == nil && moment.Year() > 0 && moment.Year() < 9999 {
			return
		}
	}
	s.found.Add(path, "must be a moment with its offset, such as 2026-03-14T15:09:26Z")
}

// paragraphs are the members whose texts may have more than one line.
var paragraphs = []string{"html", "reason"}

func (s *shape) text(raw json.RawMessage, path string) {
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		s.found.Add(path, "must be a text")
		return
	}
	right := plain(text)
	if slices.Contains(paragraphs, path) {
		right = lines(text)
	}
	s.want(right, path, "must have no control characters")
}

// lines reports whether a text can stand in the database.
func lines(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// texts looks at every text of a value whose shape its act knows.
func (s *shape) texts(raw json.RawMessage, path string) {
	reader := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := reader.Token()
		if err != nil {
			return
		}
		if text, is := token.(string); is && !lines(text) {
			s.found.Add(path, "must have no control characters")
			return
		}
	}
}

func (s *shape) list(raw json.RawMessage, t reflect.Type, path string) {
	if t.Elem().Kind() == reflect.Uint8 {
		var content []byte
		s.want(json.Unmarshal(raw, &content) == nil, path, "must be a text in base64")
		return
	}
	var entries []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &entries) != nil {
		s.found.Add(path, "must be a list")
		return
	}
	if len(entries) > mostEntries {
		s.found.Add(path, "must have at most %d entries", mostEntries)
		return
	}
	for i, entry := range entries {
		at := fmt.Sprintf("%s[%d]", path, i)
		s.want(string(entry) != "null", at, "must not be null")
		s.check(entry, t.Elem(), at)
	}
}

// structure looks at an object with the fields of a struct. A struct that reads JSON itself knows
// other members as well, but not those that package json takes for a field in another letter case.
func (s *shape) structure(raw json.RawMessage, t reflect.Type, path string) {
	fields := fieldsOf(t)
	open := reflect.PointerTo(t).Implements(readsJSON)
	s.object(raw, path, func(name string) (reflect.Type, bool) {
		field, known := fields[name]
		if !known && open {
			folds := func(field string) bool { return strings.EqualFold(field, name) }
			return rawType, !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), folds)
		}
		return field.Type, known
	})
}

// object looks at the members of an object. Known returns the type of one.
func (s *shape) object(
	raw json.RawMessage, path string, known func(name string) (reflect.Type, bool),
) {
	if raw[0] != '{' {
		s.found.Add(path, "must be an object")
		return
	}
	reader := json.NewDecoder(bytes.NewReader(raw))
	if _, err := reader.Token(); err != nil {
		return // valid JSON is read without errors
	}
	seen := map[string]bool{}
	for reader.More() {
		var value json.RawMessage
		token, err := reader.Token()
		name, isName := token.(string)
		if err != nil || !isName || reader.Decode(&value) != nil {
			return
		}
		t, is := known(name)
		switch {
		case seen[name]:
			s.member(path, name, "stands in the object twice")
		case !is:
			s.member(path, name, unknownMember)
		case !lines(name):
			s.member(path, name, "must have no control characters")
		default:
			s.check(value, t, problem.Join(path, name))
		}
		seen[name] = true
	}
}

// member notes a problem with a member. A name that has a meaning in paths is put into the text.
func (s *shape) member(path, name, text string) {
	if strings.ContainsAny(name, ".[]/~") || !plain(name) || name == "" {
		s.found.Add(path, "%q %s", name, text)
		return
	}
	s.found.Add(problem.Join(path, name), "%s", text)
}

// fieldsOf returns the members of a struct, those of embedded structs among them.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	if t.Kind() != reflect.Struct {
		return fields
	}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" && field.IsExported() {
			fields[name] = field
		}
	}
	return fields
}

func hasMember(t reflect.Type, name string) bool {
	_, has := fieldsOf(t)[name]
	return has
}
