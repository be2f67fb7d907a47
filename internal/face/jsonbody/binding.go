// Package jsonbody reads the JSON body of a request into a Go struct in one pass. It reports a
// malformed body with the exact words and position that callers compare (interface §2.7, decision
// 5).
//
// It owns the reader's grammar, which is wider than JSON's, the conversion of values to members,
// and the choice of the code. Package fault owns the texts of the codes. The JSON face owns later
// checks: trimming, lengths, and required members.
//
// It has three parts. The reader (reader.go, scan.go, quoted.go, path.go) splits the text into
// tokens and tracks the position. The binder (binder.go, convert.go) takes one token after another
// and stores values according to the shape of the struct (shape.go). Both return their first
// failure, and only failure.go maps failures to faults.
//
// Requests have integers, strings and dates. BodyBoolean, BodyAmount and BodyRate are reserved for
// member types that no request uses.
package jsonbody

import (
	"reflect"

	"mintmark/internal/domain/fault"
)

// MaxBytes is the limit of a body, both as sent and as decoded text: 64 KiB.
const MaxBytes = 64 << 10

// Binding reads bodies into values of T. It is built once and is safe for concurrent use.
type Binding[T any] struct {
	name  string
	shape shape
}

// For returns the binding of a struct type. Messages call the type by the given short name, such as
// CardLockRequest.
//
// Members are fields with a json tag, including those of embedded structs. Their types may be int
// (32 bits), string, time.Time and pointers to these. The tag body:"secret" keeps a member's value
// out of messages. For panics if a member has another type.
func For[T any](name string) *Binding[T] {
	return &Binding[T]{name, shapeOf(reflect.TypeFor[T]())}
}

// Decode clears the struct and reads a body into it. A member stays zero if it is absent or null,
// or if it is an empty string but not of type string. The error is a *fault.Fault; into then holds
// what was read before the failure.
func (b *Binding[T]) Decode(body []byte, into *T) error {
	var zero T
	*into = zero
	if f := decode(b.shape, b.name, body, reflect.ValueOf(into).Elem()); f != nil {
		return f
	}
	return nil
}

// decode is Decode for any type.
func decode(s shape, name string, body []byte, into reflect.Value) *fault.Fault {
	if len(body) > MaxBytes {
		return (&failure{kind: tooLarge}).fault()
	}
	text, replaced := decodeText(body)
	if len(text) > MaxBytes {
		return (&failure{kind: tooLarge}).fault()
	}
	b := binder{reader: reader{text: text, replaced: replaced}}
	if f := b.bindBody(s, name, into); f != nil {
		return f.fault()
	}
	return nil
}
