package load

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

// binder decodes YAML nodes into Go values by the json tags of their types. A value begins as its
// stored form: a member that the file leaves out stays, and a null or an empty string clears it.
// Decoding continues after a problem. The YAML library has no such mode: it ignores a null, takes
// 007 for a string, and names Go types in its messages.
type binder struct {
	problems problems
	at       item
}

// patch returns an entry as it will be: its stored form, changed by the file. A fresh entry is not
// stored yet and must be complete.
func patch[E any](p *pass, at item, stored E, fresh bool) (patched E, fine bool) {
	noted := p.problems.Noted
	b := binder{p.problems, at}
	b.bind(at.node, reflect.ValueOf(&stored).Elem(), "", fresh)
	return stored, p.problems.Noted == noted
}

// bind decodes one value of any kind. Other readers may share the stored form, so bind copies the
// values that it points to.
func (b *binder) bind(node *yaml.Node, into reflect.Value, path string, fresh bool) {
	node = resolve(node)
	if into.Kind() == reflect.Pointer {
		value := reflect.New(into.Type().Elem())
		fresh = into.IsNil()
		if !fresh {
			value.Elem().Set(into.Elem())
		}
		into.Set(value)
		into = value.Elem()
	}
	own, hasOwn := into.Addr().Interface().(json.Unmarshaler)
	switch {
	case hasOwn:
		b.bindOwn(node, own, path)
	case into.Kind() == reflect.Struct:
		b.bindMapping(node, into, path, fresh)
	case into.Kind() == reflect.Slice:
		b.bindList(node, into, path)
	default:
		b.bindScalar(node, into, path)
	}
}

// bindMapping decodes a struct. Every name must be one of its fields and appear once.
func (b *binder) bindMapping(node *yaml.Node, into reflect.Value, path string, fresh bool) {
	if node.Kind != yaml.MappingNode {
		b.problems.add(b.at, path, "must be a mapping of names to values")
		return
	}
	form := forms[into.Type()]
	fields := fieldsOf(into.Type())
	given := make(map[string]bool, len(node.Content)/2) // false for a cleared member
	for i := 0; i < len(node.Content); i += 2 {
		key, item := node.Content[i], node.Content[i+1]
		name, at := key.Value, problem.Join(path, key.Value)
		place, known := fields[name]
		_, twice := given[name]
		switch line := key.Line; {
		case !known && into.Type() == reflect.TypeFor[secretEntry]():
			// The name may be a misplaced secret, so the message does not repeat it.
			b.problems.Add(line, problem.Join(b.at.path, path),
				"holds an unknown name")
		case !known:
			b.problems.Add(line, problem.Join(b.at.path, at), "is unknown")
		case form.rules[name].Computed:
			b.problems.Add(line, problem.Join(b.at.path, at),
				"is filled by the service and cannot be set")
		case twice:
			b.problems.Add(line, problem.Join(b.at.path, at), "is given twice")
		case slices.Contains(form.nested, name):
		case isBlank(item):
			given[name] = false
			into.FieldByIndex(place).SetZero()
		default:
			given[name] = true
			field := into.FieldByIndex(place)
			b.bind(item, field, at, field.IsZero())
		}
	}
	for name := range form.rules {
		hasValue, mentioned := given[name]
		if form.needs(name) && !hasValue && (fresh || mentioned) {
			b.problems.add(b.at, problem.Join(path, name), "a value is required")
		}
	}
	for _, place := range fields {
		// Callers must receive such lists as [], never as null.
		field := into.FieldByIndex(place)
		if field.Kind() == reflect.Slice && field.IsNil() {
			field.Set(reflect.MakeSlice(field.Type(), 0, 0))
		}
	}
}

// bindList decodes a list, which replaces the stored one.
func (b *binder) bindList(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.SequenceNode {
		b.problems.add(b.at, path, "must be a list")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		b.bind(item, into.Index(i), fmt.Sprintf("%s[%d]", path, i), true)
	}
}

// bindOwn decodes a type that parses its text itself: amounts, rates and date-times.
func (b *binder) bindOwn(node *yaml.Node, into json.Unmarshaler, path string) {
	if node.Kind != yaml.ScalarNode {
		b.problems.add(b.at, path, "must be a single value")
		return
	}
	err := into.UnmarshalJSON([]byte(node.Value))
	if err != nil {
		b.problems.add(b.at, path, "%s", err)
		return
	}
	if moment, ok := into.(*value.Time); ok {
		// The store has millisecond precision, and its value is compared with that of the file.
		moment.Time = moment.Truncate(time.Millisecond)
	}
}

// bindScalar decodes a string, a number or a boolean. A string that looks like a number must be
// quoted: card ranges and routing numbers would lose their leading zeros otherwise.
func (b *binder) bindScalar(node *yaml.Node, into reflect.Value, path string) {
	var err error
	tag := node.ShortTag()
	switch into.Kind() {
	case reflect.String:
		into.SetString(node.Value)
		if tag != "!!str" {
			b.problems.add(b.at, path,
				"must be a text, in quotes where it looks like something else")
		}
	case reflect.Bool:
		var read bool
		read, err = strconv.ParseBool(node.Value)
		into.SetBool(read)
		if err != nil || tag != "!!bool" {
			b.problems.add(b.at, path, "must be true or false")
		}
	case reflect.Float64:
		var read float64
		read, err = strconv.ParseFloat(node.Value, 64)
		into.SetFloat(read)
		if err != nil || tag != "!!int" && tag != "!!float" || math.IsInf(read, 0) {
			b.problems.add(b.at, path, "must be a number")
		}
	default:
		var read int64
		read, err = strconv.ParseInt(node.Value, 10, 32)
		into.SetInt(read)
		if err != nil || tag != "!!int" {
			b.problems.add(b.at, path, "must be a whole number of at most %d", problem.MaxID)
		}
	}
}

// fieldsOf returns the index paths of a struct's fields by their names in the file, including those
// of embedded structs.
func fieldsOf(kind reflect.Type) map[string][]int {
	if known, ok := fieldPlaces.Load(kind); ok {
		places, _ := known.(map[string][]int)
		return places
	}
	places := make(map[string][]int)
	for _, field := range reflect.VisibleFields(kind) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" {
			places[name] = field.Index
		}
	}
	fieldPlaces.Store(kind, places)
	return places
}

// fieldPlaces caches fieldsOf.
var fieldPlaces sync.Map

// isBlank reports whether a value is null or empty.
func isBlank(node *yaml.Node) bool {
	node = resolve(node)
	return node.Kind == yaml.ScalarNode && strings.TrimSpace(node.Value) == "" ||
		node.ShortTag() == "!!null"
}
