package jsonbody

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// kind is the kind of value that a member takes.
type kind uint8

const (
	integerKind kind = iota
	textKind
	booleanKind
	dateKind
	decimalKind
	structKind
	listKind
	mapKind
)

// kindNames are the names of kinds in messages about a value of the wrong kind.
var kindNames = [...]string{"integer", "string", "boolean", "date", "decimal",
	"object", "object", "object"}

// precision says how many fraction digits a decimal may have.
type precision uint8

const (
	anyPrecision precision = iota
	amountPrecision
	ratePrecision
)

// places holds the largest number of fraction digits.
var places = [...]int{amountPrecision: 2, ratePrecision: 11}

// shape describes a type that can be bound.
type shape struct {
	kind      kind
	nullable  bool // a pointer: nil for null
	required  bool // an element of a list or a map, which cannot be null
	precision precision
	typeName  string  // how messages name the type
	record    *record // of a struct
	elem      *shape  // of a list or a map
}

// record is the members of a struct. Shapes share it, so that a struct may contain itself.
type record struct {
	members []member
}

// member is a field of a struct, or of a struct embedded in it.
type member struct {
	name   string
	index  []int // as reflect.Value.FieldByIndex takes it
	secret bool
	shape  *shape
}

// find returns the member with this name: the exact match, or else the first match ignoring case,
// or nil.
func (r *record) find(name []byte) *member {
	for i := range r.members {
		if string(name) == r.members[i].name {
			return &r.members[i]
		}
	}
	for i := range r.members {
		if equalIgnoringCase(name, r.members[i].name) {
			return &r.members[i]
		}
	}
	return nil
}

// reading returns the kind of value that s takes, for a message about another token. A list is
// named after its elements.
func (s *shape) reading() string {
	if s.kind == listKind {
		return s.elem.reading()
	}
	return kindNames[s.kind]
}

// compiler describes types. It keeps the structs it has described.
type compiler map[reflect.Type]*record

// shape describes a type with the words of its body tag. It panics on a type that cannot be bound,
// which is a mistake of the program, found at its start.
func (c compiler) shape(t reflect.Type, tag string) *shape {
	s := &shape{}
	if t.Kind() == reflect.Pointer {
		s.nullable = true
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		s.kind, s.typeName = dateKind, "System.DateTime"
		return s
	case reflect.TypeFor[decimal.Decimal]():
		s.kind, s.typeName = decimalKind, "System.Decimal"
		s.precision = precisionOf(tag)
		return s
	}
	switch t.Kind() {
	case reflect.Int:
		s.kind, s.typeName = integerKind, "System.Int32"
	case reflect.String:
		s.kind, s.typeName = textKind, "System.String"
	case reflect.Bool:
		s.kind, s.typeName = booleanKind, "System.Boolean"
	case reflect.Struct:
		s.kind, s.typeName = structKind, "Api."+t.Name()
		s.record = c.record(t)
	case reflect.Slice:
		s.describeList(c.shape(t.Elem(), ""))
	case reflect.Map:
		s.describeMap(t, c.shape(t.Elem(), ""))
	default:
		panic(fmt.Sprintf("jsonbody: a member of type %s cannot be bound", t))
	}
	return s
}

func precisionOf(tag string) precision {
	switch tag {
	case "amount":
		return amountPrecision
	case "rate":
		return ratePrecision
	}
	return anyPrecision
}

func (s *shape) describeList(elem *shape) {
	s.kind, s.elem = listKind, elem
	elem.required = !elem.nullable && elem.kind != textKind && elem.kind < structKind
	s.typeName = "System.Collections.Generic.List`1[" + elem.typeName + "]"
	if elem.kind == integerKind {
		s.typeName = elem.typeName + "[]"
	}
}

func (s *shape) describeMap(t reflect.Type, elem *shape) {
	if t != reflect.TypeFor[map[string]int]() {
		panic(fmt.Sprintf("jsonbody: a map of type %s cannot be bound", t))
	}
	s.kind, s.elem = mapKind, elem
	elem.required = true
	s.typeName = "System.Collections.Generic.Dictionary`2[System.String,System.Int32]"
}

// record describes the members of a struct.
func (c compiler) record(t reflect.Type) *record {
	if r := c[t]; r != nil {
		return r
	}
	r := &record{}
	c[t] = r
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			continue // its fields are members of the outer struct
		case name == "" || !field.IsExported():
			panic(fmt.Sprintf("jsonbody: %s.%s has no name in a body", t, field.Name))
		}
		tag := field.Tag.Get("body")
		r.members = append(r.members, member{
			name: name, index: field.Index, secret: tag == "secret",
			shape: c.shape(field.Type, tag),
		})
	}
	return r
}
