package api

import (
	"reflect"
	"strconv"

	"mintmark/internal/base/value"
)

// data is the data member of an answer, which appends its own JSON.
type data interface {
	appendJSON(to []byte) []byte
}

// rendered is encoded JSON.
type rendered []byte

func (r rendered) appendJSON(to []byte) []byte { return append(to, r...) }

// Property is a property of an object of the interface.
type Property struct {
	Name     string
	Type     reflect.Type
	Optional bool // omitted when it has no value
}

// property is a row in the table of an object: all that this package knows of the property.
type property[Object any] struct {
	Property
	quoted string // name in JSON, with quotes and colon
	// append appends the value. For an optional property without a value it appends nothing.
	append func(to []byte, of *Object) []byte
}

// appendObject appends an object as JSON. Package json spends more time on reflection than on
// writing, and nearly all answers are cards.
func appendObject[Object any](to []byte, table []property[Object], of *Object) []byte {
	to = append(to, '{')
	first := len(to)
	for i := range table {
		row, before := &table[i], len(to)
		if before > first {
			to = append(to, ',')
		}
		to = append(to, row.quoted...)
		named := len(to)
		to = row.append(to, of)
		if len(to) == named {
			to = to[:before]
		}
	}
	return append(to, '}')
}

// appendList appends an array of objects.
func appendList[Object any](to []byte, table []property[Object], list []Object) []byte {
	to = append(to, '[')
	for i := range list {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendObject(to, table, &list[i])
	}
	return append(to, ']')
}

// always returns a row for a property that every object has. The name must need no JSON escaping.
func always[Value, Object any](
	name string, of func(*Object) Value, write func([]byte, Value) []byte,
) property[Object] {
	return property[Object]{
		Property{name, reflect.TypeFor[Value](), false}, `"` + name + `":`,
		func(to []byte, object *Object) []byte { return write(to, of(object)) },
	}
}

// optional returns a row for a property that is omitted when it has the zero value.
func optional[Value comparable, Object any](
	name string, of func(*Object) Value, write func([]byte, Value) []byte,
) property[Object] {
	var zero Value
	return property[Object]{
		Property{name, reflect.TypeFor[Value](), true}, `"` + name + `":`,
		func(to []byte, object *Object) []byte {
			v := of(object)
			if v == zero {
				return to
			}
			return write(to, v)
		},
	}
}

// Encoders of values.

func text(to []byte, v string) []byte         { return value.AppendText(to, v) }
func number(to []byte, v int) []byte          { return strconv.AppendInt(to, int64(v), 10) }
func boolean(to []byte, v bool) []byte        { return strconv.AppendBool(to, v) }
func amount(to []byte, v value.Amount) []byte { return v.Append(to) }

func moment(to []byte, v value.Time) []byte {
	to = append(to, '"')
	to, _ = v.AppendText(to) // the error is always nil
	return append(to, '"')
}
