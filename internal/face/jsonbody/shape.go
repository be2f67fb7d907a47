package jsonbody

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// kind is the type of value that a member accepts.
type kind uint8

const (
	integerKind kind = iota
	textKind
	dateKind
)

// kindNames are the names of kinds in messages about a value of the wrong type.
var kindNames = [...]string{integerKind: "integer", textKind: "string", dateKind: "date"}

// shape lists the members of a struct, including those of embedded structs.
type shape []member

// member is a struct field that a body sets.
type member struct {
	name   string
	index  []int // for reflect.Value.FieldByIndex
	kind   kind
	secret bool
}

// find returns the member with the name: the exact match, else the first match ignoring case, else
// nil.
func (s shape) find(name []byte) *member {
	for i := range s {
		if string(name) == s[i].name {
			return &s[i]
		}
	}
	for i := range s {
		if equalIgnoringCase(name, s[i].name) {
			return &s[i]
		}
	}
	return nil
}

// shapeOf returns the shape of a struct type. It panics on a type that cannot be bound: a
// programming error, detected at startup.
func shapeOf(t reflect.Type) shape {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("jsonbody: %s is not a struct", t))
	}
	var s shape
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
		s = append(s, member{
			name: name, index: field.Index, kind: kindOf(field.Type),
			secret: field.Tag.Get("body") == "secret",
		})
	}
	return s
}

// kindOf returns the kind of a member, which may be a pointer: nil for null.
func kindOf(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return dateKind
	case t.Kind() == reflect.Int:
		return integerKind
	case t.Kind() == reflect.String:
		return textKind
	}
	panic(fmt.Sprintf("jsonbody: a member of type %s cannot be bound", t))
}
