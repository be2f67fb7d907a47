package jsonbody

import (
	"bytes"
	"reflect"
	"time"

	"github.com/shopspring/decimal"
)

// bind converts the value whose first token was just read, and stores it in the target. Structs,
// lists and maps are only entered here.
func (b *binder) bind(s *shape, target reflect.Value, t token) *failure {
	if t == arrayStart && s.kind != listKind {
		return b.fail(arrayGiven, kindNames[s.kind])
	}
	if t == nullValue || t == textValue && b.value.start == b.value.end && s.emptyIsNull() {
		return b.bindNull(s, target)
	}
	switch s.kind {
	case integerKind:
		return b.bindInteger(target, t)
	case textKind:
		return b.bindText(target, t)
	case booleanKind:
		return b.bindBoolean(s, target, t)
	case dateKind:
		return b.bindDate(target, t)
	case decimalKind:
		return b.bindDecimal(s, target, t)
	}
	return b.bindContainer(s, target, t)
}

// emptyIsNull reports whether an empty text counts as null.
func (s *shape) emptyIsNull() bool {
	return s.kind != textKind && (s.kind != booleanKind || s.nullable)
}

// bindNull binds null.
func (b *binder) bindNull(s *shape, target reflect.Value) *failure {
	if s.required {
		return b.fail(notAcceptable,
			"Error converting value {null} to type '"+s.typeName+"'.")
	}
	target.SetZero()
	return nil
}

// taker returns the value to bind to: the target, cleared, or a new value when the target is a
// pointer.
func taker(target reflect.Value) reflect.Value {
	if target.Kind() != reflect.Pointer {
		target.SetZero() // the last of duplicate names wins, without a trace of the first
		return target
	}
	target.Set(reflect.New(target.Type().Elem()))
	return target.Elem()
}

// bindInteger takes literals and texts, which have different rules and codes.
func (b *binder) bindInteger(target reflect.Value, t token) *failure {
	var n int32
	var f *failure
	switch t {
	case numberValue:
		n, f = b.int32Literal(b.raw())
	case textValue:
		n, f = b.int32Text(b.unescape(b.value))
	case nanValue, infinityValue, negativeInfinityValue:
		f = b.fail(notAcceptable, "Value was either too large or too small for an Int32.")
	default:
		f = b.unexpected("integer", t)
	}
	if f != nil {
		return f
	}
	taker(target).SetInt(int64(n))
	return nil
}

// bindText takes texts verbatim, and the other scalars as .NET writes them.
func (b *binder) bindText(target reflect.Value, t token) *failure {
	switch t {
	case undefinedValue, objectStart, constructorStart:
		return b.unexpected("string", t)
	case textValue:
		b.noteUnclean()
		taker(target).SetString(string(b.unescape(b.value)))
		return nil
	}
	// Numbers and words become text; null was handled before.
	text, _, f := b.printScalar(t)
	if f != nil {
		return f
	}
	taker(target).SetString(text)
	return nil
}

// bindBoolean takes the words, texts of them in any case, and every 64-bit number.
func (b *binder) bindBoolean(s *shape, target reflect.Value, t token) *failure {
	var is bool
	switch t {
	case trueValue, nanValue, infinityValue, negativeInfinityValue:
		is = true // any number but 0 is true
	case falseValue:
	case numberValue:
		n, f := b.anyNumber(b.raw())
		if f != nil {
			return f
		}
		if n.digits != "" {
			// Only an integer beyond 64 bits cannot be converted.
			return b.fail(badBoolean, "")
		}
		is = n.integer != 0 || n.float != 0
	case textValue:
		word := bytes.TrimFunc(b.unescape(b.value), func(char rune) bool {
			return char == 0 || isSpace(char)
		})
		is = equalIgnoringCase(word, "true")
		if !is && !equalIgnoringCase(word, "false") {
			return b.fail(badBoolean, "")
		}
	case undefinedValue:
		if !s.nullable {
			return b.fail(badBoolean, "")
		}
		return b.bindNull(s, target)
	default:
		return b.fail(badBoolean, "")
	}
	taker(target).SetBool(is)
	return nil
}

// bindDate takes texts only.
func (b *binder) bindDate(target reflect.Value, t token) *failure {
	if t == numberValue {
		// No number is a date, but the reader reports a malformed number first.
		_, f := b.anyNumber(b.raw())
		if f != nil {
			return f
		}
	}
	if t != textValue {
		return b.fail(badDate, "")
	}
	date, ok := parseDateTime(b.unescape(b.value))
	if !ok {
		return b.fail(badDate, "")
	}
	*taker(target).Addr().Interface().(*time.Time) = date
	return nil
}

// bindDecimal takes literals and texts, within the precision of the member's tag.
func (b *binder) bindDecimal(s *shape, target reflect.Value, t token) *failure {
	bad := badAmount
	if s.precision == ratePrecision {
		bad = badRate
	}
	if t != numberValue && t != textValue {
		return b.fail(bad, "")
	}
	value, digits, ok := parseDecimal(b.unescape(b.value), t == numberValue)
	if !ok || s.precision != anyPrecision && digits > places[s.precision] {
		return b.fail(bad, "")
	}
	*taker(target).Addr().Interface().(*decimal.Decimal) = value
	return nil
}

// unexpected reports a token of a kind that the member does not take.
func (b *binder) unexpected(word string, t token) *failure {
	return b.fail(notAcceptable,
		"Error reading "+word+". Unexpected token: "+tokenNames[t]+".")
}

// tokenNames are the token names in messages.
var tokenNames = [...]string{
	objectStart:      "StartObject",
	constructorStart: "StartConstructor",
	trueValue:        "Boolean",
	falseValue:       "Boolean",
	undefinedValue:   "Undefined",
}
