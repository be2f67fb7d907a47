package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mintmark/internal/base/problem"
)

// Decode reads a body that is one object into a value of type T, and returns all problems of the
// body: unknown or duplicated members, and values of the wrong type. A null counts as an absent
// member. Members without a problem are read even if others have problems.
func Decode[T any](body []byte) (T, problem.List) {
	var value T
	return value, decode(body, reflect.ValueOf(&value).Elem())
}

func decode(body []byte, into reflect.Value) problem.List {
	d := &decoder{}
	raw, ok := whole(body, &d.problems)
	switch {
	case !ok:
	case raw[0] != '{':
		d.problems.Add("", noObject)
	default:
		d.read(raw, into, "")
	}
	if len(d.problems) == 0 && d.err != nil {
		d.problems = unreadable(d.err)
	}
	return d.problems
}

// unreadable returns the problem of a body that its type rejects although all members are valid.
func unreadable(err error) problem.List {
	return problem.List{{Text: "cannot be read: " + err.Error()}}
}

// decoder reads one body, and collects its problems.
type decoder struct {
	problems problem.List
	err      error // first error of a type that unmarshals JSON itself
}

// maxEntries is the maximum length of a list in a body: a list of leaked numbers has hundreds of
// thousands. Rules of members set lower limits.
const maxEntries = 1_000_000

var (
	momentType = reflect.TypeFor[time.Time]()
	numberType = reflect.TypeFor[json.Number]()
	rawType    = reflect.TypeFor[json.RawMessage]()
	readsJSON  = reflect.TypeFor[json.Unmarshaler]()
)

// read reads valid JSON without surrounding space.
func (d *decoder) read(raw json.RawMessage, into reflect.Value, path string) {
	if string(raw) == "null" {
		if into.Type() == rawType {
			d.set(raw, into)
		}
		return
	}
	for into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch into.Type() {
	case momentType:
		d.take(isMoment(raw), noMoment, raw, into, path)
		return
	case numberType:
		d.take(raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9', "must be a number", raw, into, path)
		return
	case rawType:
		d.take(validStrings(raw), isControl, raw, into, path)
		return
	}
	if into.Kind() == reflect.Struct && len(Fields(into.Type())) == 0 &&
		into.Addr().Type().Implements(readsJSON) { // an amount, a rate or a time
		if err := json.Unmarshal(raw, into.Addr().Interface()); err != nil {
			d.problems.Add(path, "%s", strings.ReplaceAll(err.Error(), `\"`, ""))
		}
		return
	}
	switch into.Kind() {
	case reflect.String:
		d.text(raw, into, path)
	case reflect.Bool:
		truth, ok := readTruth(raw)
		if d.check(ok, notABool, path) {
			into.SetBool(truth)
		}
	case reflect.Int, reflect.Int64:
		number, ok := readNumber(raw)
		if d.check(ok, notAnInt, path) {
			into.SetInt(int64(number))
		}
	case reflect.Float64:
		_, err := strconv.ParseFloat(string(raw), 64)
		d.take(err == nil && raw[0] != '"', "must be a number", raw, into, path)
	case reflect.Slice:
		d.list(raw, into, path)
	case reflect.Map:
		d.table(raw, into, path)
	case reflect.Struct:
		d.structure(raw, into, path)
	default:
		d.set(raw, into)
	}
}

// take sets a valid value, and records a problem for any other.
func (d *decoder) take(right bool, text string, raw json.RawMessage, into reflect.Value, path string) {
	if d.check(right, text, path) {
		d.set(raw, into)
	}
}

// check records a problem unless the value is valid.
func (d *decoder) check(right bool, text, path string) bool {
	if !right {
		d.problems.Add(path, "%s", text)
	}
	return right
}

func (d *decoder) set(raw json.RawMessage, into reflect.Value) {
	if err := json.Unmarshal(raw, into.Addr().Interface()); d.err == nil {
		d.err = err
	}
}

func isMoment(raw json.RawMessage) bool {
	text, ok := readText(raw)
	moment, err := time.Parse(time.RFC3339, text)
	return ok && err == nil && moment.Year() > 0 && moment.Year() < 9999
}

// paragraphs are the members whose strings may have several lines.
var paragraphs = []string{"html", "reason"}

func (d *decoder) text(raw json.RawMessage, into reflect.Value, path string) {
	text, ok := readText(raw)
	if !ok {
		d.problems.Add(path, notAString)
		return
	}
	right := IsLine(text) || slices.Contains(paragraphs, path) && AreLines(text)
	if d.check(right, isControl, path) {
		into.SetString(text)
	}
}

// validStrings checks every string in a value whose schema only its act knows.
func validStrings(raw json.RawMessage) bool {
	reader := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := reader.Token()
		if err != nil {
			return true
		}
		if text, ok := token.(string); ok && !AreLines(text) {
			return false
		}
	}
}

func (d *decoder) list(raw json.RawMessage, into reflect.Value, path string) {
	if into.Type().Elem().Kind() == reflect.Uint8 {
		var content []byte
		right := json.Unmarshal(raw, &content) == nil
		d.take(right, "must be a text in base64", raw, into, path)
		return
	}
	entries := readList(raw, maxEntries, &d.problems, path)
	into.Set(reflect.MakeSlice(into.Type(), len(entries), len(entries)))
	for i, entry := range entries {
		at := entryPath(path, i)
		if string(entry) == "null" {
			d.problems.Add(at, "must not be null")
		}
		d.read(entry, into.Index(i), at)
	}
}

// table reads an object with arbitrary member names.
func (d *decoder) table(raw json.RawMessage, into reflect.Value, path string) {
	t := into.Type()
	into.Set(reflect.MakeMap(t))
	d.object(raw, path, func(name, at string, value json.RawMessage) (wrong string) {
		if !AreLines(name) {
			return isControl
		}
		entry := reflect.New(t.Elem()).Elem()
		d.read(value, entry, at)
		into.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), entry)
		return ""
	})
}

// structure reads an object into the fields of a struct. A struct that unmarshals JSON itself may
// have other members as well, but not those that package json would match to a field in another
// letter case.
func (d *decoder) structure(raw json.RawMessage, into reflect.Value, path string) {
	fields := Fields(into.Type())
	open := into.Addr().Type().Implements(readsJSON)
	target := into
	if open {
		target = reflect.New(into.Type()).Elem()
	}
	d.object(raw, path, func(name, at string, value json.RawMessage) (wrong string) {
		field, known := fields[name]
		switch {
		case known:
			d.read(value, target.FieldByIndex(field.Index), at)
		case !open || isFolded(fields, name):
			return Unknown
		case !AreLines(name):
			return isControl
		default:
			d.read(value, reflect.New(rawType).Elem(), at)
		}
		return ""
	})
	if open {
		d.set(raw, into)
	}
}

// isFolded reports whether a name is that of a field in another letter case.
func isFolded(fields map[string]reflect.StructField, name string) bool {
	for other := range fields {
		if strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}

// object reads the members of an object. Member reads one member, and returns what is wrong with
// its name.
func (d *decoder) object(
	raw json.RawMessage, path string, member func(name, at string, value json.RawMessage) string,
) {
	if raw[0] != '{' {
		d.problems.Add(path, noObject)
		return
	}
	seen := map[string]bool{}
	for name, value := range Members(raw) {
		if seen[name] {
			Reject(&d.problems, path, name, duplicated)
			continue
		}
		seen[name] = true
		if wrong := member(name, problem.Join(path, name), value); wrong != "" {
			Reject(&d.problems, path, name, wrong)
		}
	}
}

// fieldsOf caches the members of each struct type.
var fieldsOf sync.Map

// Fields returns the members of a struct, including those of embedded structs. It is called for
// each member of a page, so it inspects a type only once. The map must not be modified.
func Fields(t reflect.Type) map[string]reflect.StructField {
	if known, ok := fieldsOf.Load(t); ok {
		return known.(map[string]reflect.StructField)
	}
	fields := readFields(t)
	fieldsOf.Store(t, fields)
	return fields
}

func readFields(t reflect.Type) map[string]reflect.StructField {
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

// Member returns a member of a struct by its JSON name: nil if the struct does not have it or it is
// not set.
func Member(item any, name string) any {
	value := reflect.ValueOf(item)
	for value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return nil
	}
	field, ok := Fields(value.Type())[name]
	if !ok {
		return nil
	}
	value = value.FieldByIndex(field.Index)
	for value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return nil
		}
		value = value.Elem()
	}
	return value.Interface()
}
