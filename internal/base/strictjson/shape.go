package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/base/problem"
)

// CheckShape returns all that is wrong with the shape of a body that becomes a value of a type:
// members that are not known or stand twice, and values of another kind. A null counts as a member
// that is not given.
func CheckShape(body []byte, t reflect.Type) problem.List {
	s := &shape{}
	raw, ok := whole(body, &s.found)
	switch {
	case !ok:
	case raw[0] != '{':
		s.found.Add("", noObject)
	default:
		s.check(raw, t, "")
	}
	return s.found
}

// shape collects the problems of one body.
type shape struct{ found problem.List }

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
		_, ok := readTruth(raw)
		s.want(ok, path, noTruth)
	case reflect.Int, reflect.Int64:
		_, ok := readNumber(raw)
		s.want(ok, path, noNumber)
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
	text, ok := readText(raw)
	moment, err := time.Parse(time.RFC3339, text)
	s.want(ok && err == nil && moment.Year() > 0 && moment.Year() < 9999, path, noMoment)
}

// paragraphs are the members whose texts may have more than one line.
var paragraphs = []string{"html", "reason"}

func (s *shape) text(raw json.RawMessage, path string) {
	text, ok := readText(raw)
	switch {
	case !ok:
		s.found.Add(path, noText)
	case slices.Contains(paragraphs, path):
		s.want(AreLines(text), path, isControl)
	default:
		s.want(IsLine(text), path, isControl)
	}
}

// texts looks at every text of a value whose shape its act knows.
func (s *shape) texts(raw json.RawMessage, path string) {
	reader := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := reader.Token()
		if err != nil {
			return
		}
		if text, ok := token.(string); ok && !AreLines(text) {
			s.found.Add(path, isControl)
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
	for i, entry := range readList(raw, mostEntries, &s.found, path) {
		at := entryPath(path, i)
		s.want(string(entry) != "null", at, "must not be null")
		s.check(entry, t.Elem(), at)
	}
}

// structure looks at an object with the fields of a struct. A struct that reads JSON itself knows
// other members as well, but not those that package json takes for a field in another letter case.
func (s *shape) structure(raw json.RawMessage, t reflect.Type, path string) {
	fields := Fields(t)
	open := reflect.PointerTo(t).Implements(readsJSON)
	s.object(raw, path, func(name string) (reflect.Type, bool) {
		field, known := fields[name]
		if !known && open {
			for other := range fields {
				if strings.EqualFold(other, name) {
					return nil, false
				}
			}
			return rawType, true
		}
		return field.Type, known
	})
}

// object looks at the members of an object. Known returns the type of one.
func (s *shape) object(
	raw json.RawMessage, path string, known func(name string) (reflect.Type, bool),
) {
	if raw[0] != '{' {
		s.found.Add(path, noObject)
		return
	}
	seen := map[string]bool{}
	for name, value := range Members(raw) {
		t, ok := known(name)
		switch {
		case seen[name]:
			Reject(&s.found, path, name, isTwice)
		case !ok:
			Reject(&s.found, path, name, Unknown)
		case !AreLines(name):
			Reject(&s.found, path, name, isControl)
		default:
			s.check(value, t, problem.Join(path, name))
		}
		seen[name] = true
	}
}

// Fields returns the members of a struct, those of embedded structs among them.
func Fields(t reflect.Type) map[string]reflect.StructField {
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
