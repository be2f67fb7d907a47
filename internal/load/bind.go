package load

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/value"
)

// binder fills Go values from YAML nodes by the json tags of their types, and holds each value
// against the rules of its type. What is wrong is noted, and the binding goes on.
type binder struct {
	problems *Problems
	amounts  []locatedAmount
}

// locatedAmount is an amount and where it was read. How many digits it may have is known only
// when its program is.
type locatedAmount struct {
	path   string
	amount value.Amount
}

// bind fills one value of any kind.
func (b *binder) bind(node *yaml.Node, into reflect.Value, path string) {
	node = resolve(node)
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	own, hasOwn := into.Addr().Interface().(json.Unmarshaler)
	switch {
	case hasOwn:
		b.bindOwn(node, own, path)
	case into.Kind() == reflect.Struct:
		b.bindMapping(node, into, path)
	case into.Kind() == reflect.Slice:
		b.bindList(node, into, path)
	default:
		b.bindScalar(node, into, path)
	}
}

// bindMapping fills a struct. Every name must be one of its fields, and be there once.
func (b *binder) bindMapping(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.MappingNode {
		b.problems.add(path, "must be a mapping of names to values")
		return
	}
	shape := shapes[into.Type()]
	fields := fieldsOf(into)
	given := make(map[string]bool)
	for i := 0; i < len(node.Content); i += 2 {
		key, item := node.Content[i], node.Content[i+1]
		name, at := key.Value, join(path, key.Value)
		field, known := fields[name]
		rule := shape.fields[name]
		switch {
		case !known:
			b.problems.addAt(key.Line, at, "is not known here")
		case rule.computed:
			b.problems.addAt(key.Line, at, "is filled by the service and cannot be set")
		case given[name]:
			b.problems.addAt(key.Line, at, "is given twice")
		case !isBlank(item):
			given[name] = true
			b.bindField(item, field, at, rule)
		}
	}
	for name, rule := range shape.fields {
		if rule.required && !given[name] {
			b.problems.add(join(path, name), "a value is required")
		}
	}
	for name, field := range fields {
		// Lists that callers see are answered as [], never as null.
		if !given[name] && field.Kind() == reflect.Slice && field.IsNil() {
			field.Set(reflect.MakeSlice(field.Type(), 0, 0))
		}
	}
	if shape.whole != nil {
		shape.whole(into.Addr().Interface(), func(name, format string, args ...any) {
			b.problems.add(join(path, name), format, args...)
		})
	}
}

// bindField fills a field and holds it against its rule.
func (b *binder) bindField(node *yaml.Node, field reflect.Value, path string, rule rule) {
	before := len(b.problems.List)
	b.bind(node, field, path)
	if len(b.problems.List) > before {
		return
	}
	for _, check := range rule.checks {
		if wrong := check(reflect.Indirect(field)); wrong != "" {
			b.problems.add(path, "%s", wrong)
		}
	}
}

func (b *binder) bindList(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.SequenceNode {
		b.problems.add(path, "must be a list")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		b.bind(item, into.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

// bindOwn fills a type that reads its own text: amounts, rates and date-times.
func (b *binder) bindOwn(node *yaml.Node, into json.Unmarshaler, path string) {
	if node.Kind != yaml.ScalarNode {
		b.problems.add(path, "must be a single value")
		return
	}
	err := into.UnmarshalJSON([]byte(node.Value))
	if err != nil {
		b.problems.add(path, "%s", err)
		return
	}
	if amount, ok := into.(*value.Amount); ok {
		b.amounts = append(b.amounts, locatedAmount{path, *amount})
	}
}

// bindScalar fills a text, a number or a truth value. A text that looks like a number must stand
// in quotes: card ranges and routing numbers would lose their leading zeros otherwise.
func (b *binder) bindScalar(node *yaml.Node, into reflect.Value, path string) {
	var err error
	tag := node.ShortTag()
	switch into.Kind() {
	case reflect.String:
		into.SetString(node.Value)
		if tag != "!!str" {
			b.problems.add(path, "must be a text, in quotes where it looks like something else")
		}
	case reflect.Bool:
		var read bool
		read, err = strconv.ParseBool(node.Value)
		into.SetBool(read)
		if err != nil || tag != "!!bool" {
			b.problems.add(path, "must be true or false")
		}
	case reflect.Float64:
		var read float64
		read, err = strconv.ParseFloat(node.Value, 64)
		into.SetFloat(read)
		if err != nil || tag != "!!int" && tag != "!!float" || math.IsInf(read, 0) {
			b.problems.add(path, "must be a number")
		}
	default:
		var read int64
		read, err = strconv.ParseInt(node.Value, 10, 32)
		into.SetInt(read)
		if err != nil || tag != "!!int" {
			b.problems.add(path, "must be a whole number of at most %d", math.MaxInt32)
		}
	}
}

// fieldsOf returns the fields of a struct by their names in the file, with those of embedded
// structs.
func fieldsOf(v reflect.Value) map[string]reflect.Value {
	fields := make(map[string]reflect.Value)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			for inner, value := range fieldsOf(v.Field(i)) {
				fields[inner] = value
			}
			continue
		}
		fields[name] = v.Field(i)
	}
	return fields
}

// isBlank reports whether a value counts as not given.
func isBlank(node *yaml.Node) bool {
	node = resolve(node)
	return node.Kind == yaml.ScalarNode && strings.TrimSpace(node.Value) == "" ||
		node.ShortTag() == "!!null"
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}
