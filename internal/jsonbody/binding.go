// Package jsonbody reads the JSON body of a request into a Go struct in one pass, and says what is
// wrong with a broken one in the words, and at the place, that callers of the interface compare
// (interface §2.7).
//
// It owns the reader's grammar, which is wider than JSON's, the conversion of values to members,
// and the choice of the code. The fault package owns the texts of the codes. The HTTP face owns
// what comes after: trimming texts, lengths, and members that have to be given.
//
// The work is divided in three. The reader (reader.go, scan.go, quoted.go, path.go) cuts the text
// into tokens and knows where it stands. The binder (binder.go, convert.go, container.go) asks
// it for one token after the other and puts values where the shape of the struct (shape.go) says.
// Each returns the first failure it meets, and failure.go alone turns failures into faults.
//
// No request of today has an amount, a rate, a list, a map or a struct inside it, so no caller
// meets BodyAmount, BodyRate or the failures of such members. They are here because the contract of
// broken bodies includes them: 64 of the recorded cases in testdata bind one, and the two
// precisions are limits of the interface. A request with an amount needs only a member of the type.
package jsonbody

import (
	"reflect"

	"mintmark/internal/fault"
)

// MaxBytes is how large a body may be, as it was sent and as decoded text: 64 KiB.
const MaxBytes = 64 << 10

// Binding reads bodies into values of T. It is made once and can be used by many requests at once.
type Binding[T any] struct {
	name  string
	shape *shape
}

// For returns the binding of a struct type. The name is the type's short name in messages, as in
// CardLockRequest.
//
// Members are fields with a json tag, those of embedded structs included. They may be int (32
// bits), string, bool, time.Time, decimal.Decimal, structs, pointers to these, slices of them and
// map[string]int. The tags body:"amount" and body:"rate" bound the digits behind a decimal's point
// to 2 and 11, and body:"secret" keeps a member's value out of messages. For panics where a type
// has other members.
func For[T any](name string) *Binding[T] {
	shape := compiler{}.shape(reflect.TypeFor[T](), "")
	if shape.kind != structKind || shape.nullable {
		panic("jsonbody: " + name + " is no struct")
	}
	return &Binding[T]{name, shape}
}

// Decode reads a body into a struct. What was there before is gone, and a member that is not
// given, null, or empty text where a text makes no sense, is left zero. The error is a
// *fault.Fault, and into then holds what was read before the failure.
func (b *Binding[T]) Decode(body []byte, into *T) error {
	var zero T
	*into = zero
	if f := decode(b.shape, b.name, body, reflect.ValueOf(into).Elem()); f != nil {
		return f
	}
	return nil
}

// decode does the work for all types.
func decode(s *shape, name string, body []byte, into reflect.Value) *fault.Fault {
	if len(body) > MaxBytes {
		return (&failure{kind: tooLarge}).fault()
	}
	text := decodeText(body)
	if len(text) > MaxBytes {
		return (&failure{kind: tooLarge}).fault()
	}
	b := binder{reader: reader{text: text}}
	if f := b.bindBody(s, name, into); f != nil {
		return f.fault()
	}
	return nil
}
