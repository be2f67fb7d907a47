// Package jsonbody reads the JSON body of a request into a Go struct in one pass. A broken body is
// reported with the exact words and position that callers compare (interface §2.7, decision 5).
//
// It owns the reader's grammar, which is wider than JSON's, the conversion of values to members,
// and the choice of the code. The fault package owns the texts of the codes. The JSON face owns
// the later checks: trimming, lengths, and required members.
//
// The work is divided in three. The reader (reader.go, scan.go, quoted.go, path.go) cuts the text
// into tokens and tracks the position. The binder (binder.go, convert.go) takes one token after the
// other and stores values as the shape of the struct (shape.go) says. Each returns its first failure,
// and only failure.go turns failures into faults.
//
// A request has whole numbers, texts and dates. BodyBoolean, BodyAmount and BodyRate are reserved for
// members that no request has.
package jsonbody

import (
	"reflect"

	"mintmark/internal/domain/fault"
)

// MaxBytes is the limit of a body, both as sent and as decoded text: 64 KiB.
const MaxBytes = 64 << 10

// Binding reads bodies into values of T. It is made once and is safe for concurrent use.
type Binding[T any] struct {
	name  string
	shape shape
}

// For returns the binding of a struct type. The name is the type's short name in messages, as in
// CardLockRequest.
//
// Members are fields with a json tag, including those of embedded structs. They may be int (32
// bits), string, time.Time and pointers to these. The tag body:"secret" keeps a member's value out of
// messages. For panics on a type with other members.
func For[T any](name string) *Binding[T] {
	return &Binding[T]{name, shapeOf(reflect.TypeFor[T]())}
}

// Decode reads a body into a struct, which it clears first. A member stays zero when it is absent
// or null, or when it is an empty text and not a string. The error is a *fault.Fault; into then holds
// what was read before the failure.
func (b *Binding[T]) Decode(body []byte, into *T) error {
	var zero T
	*into = zero
	if f := decode(b.shape, b.name, body, reflect.ValueOf(into).Elem()); f != nil {
		return f
	}
	return nil
}

// decode does the work for all types.
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
