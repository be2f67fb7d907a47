package jsonbody

import (
	"reflect"
	"time"
)

// bind converts the value whose first token was just read, and stores it in target.
func (b *binder) bind(k kind, target reflect.Value, t token) *failure {
	isEmpty := t == textValue && b.value.start == b.value.end
	switch {
	case t == arrayStart:
		return b.fail(arrayGiven, kindNames[k])
	case t == nullValue || isEmpty && k != textKind:
		target.SetZero()
		return nil
	}
	switch k {
	case integerKind:
		return b.bindInteger(target, t)
	case textKind:
		return b.bindText(target, t)
	}
	return b.bindDate(target, t)
}

// settable returns the value to set: the target, or a new value if the target is a pointer.
func settable(target reflect.Value) reflect.Value {
	if target.Kind() != reflect.Pointer {
		return target
	}
	target.Set(reflect.New(target.Type().Elem()))
	return target.Elem()
}

// bindInteger accepts number literals and strings, which have different rules and codes.
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
	settable(target).SetInt(int64(n))
	return nil
}

// bindText accepts strings verbatim, and other scalars as .NET formats them.
func (b *binder) bindText(target reflect.Value, t token) *failure {
	switch t {
	case undefinedValue, objectStart, constructorStart:
		return b.unexpected("string", t)
	case textValue:
		b.noteUnclean()
		settable(target).SetString(string(b.unescape(b.value)))
		return nil
	}
	// Numbers and words become strings; null was handled before.
	text, f := b.printScalar(t)
	if f != nil {
		return f
	}
	settable(target).SetString(text)
	return nil
}

// bindDate accepts strings only.
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
	*settable(target).Addr().Interface().(*time.Time) = date
	return nil
}

// unexpected reports a token that the member does not accept.
func (b *binder) unexpected(word string, t token) *failure {
	return b.fail(notAcceptable,
		"Error reading "+word+". Unexpected token: "+tokenNames[t]+".")
}

// tokenNames are the names of tokens in messages.
var tokenNames = [...]string{
	objectStart:      "StartObject",
	constructorStart: "StartConstructor",
	trueValue:        "Boolean",
	falseValue:       "Boolean",
	undefinedValue:   "Undefined",
}
