package jsonbody

import "reflect"

// binder stores the reader's values in a struct.
type binder struct {
	reader

	// unclean is the first string member with invalid text. It is reported if the body has no other
	// fault.
	unclean *failure
}

// bindBody reads the whole body into a struct.
func (b *binder) bindBody(s shape, name string, into reflect.Value) *failure {
	t, f := b.next()
	if f != nil {
		return f
	}
	switch t {
	case objectStart:
		f = b.bindMembers(s, into)
	case arrayStart:
		return b.fail(notOpened, "The request body is an array.")
	case endOfText:
		return &failure{kind: emptyBody}
	default:
		return b.bindScalarBody(t, name)
	}
	if f == nil {
		f = b.finish()
	}
	if f == nil {
		f = b.unclean
	}
	return f
}

// bindScalarBody reports a body that is a single value. Null and the empty string count as no body,
// but a fault after them is reported first.
func (b *binder) bindScalarBody(t token, name string) *failure {
	printed, f := b.printScalar(t)
	if f != nil {
		return f
	}
	if printed != "" || t == constructorStart {
		f = b.fail(scalarBody, b.echo(printed))
		f.target = name
		return f
	}
	if f = b.finish(); f != nil {
		return f
	}
	return &failure{kind: emptyBody}
}

// printScalar returns a scalar as .NET formats it. Null and undefined are empty.
func (b *binder) printScalar(t token) (printed string, f *failure) {
	switch t {
	case numberValue:
		n, f := b.anyNumber(b.raw())
		return n.String(), f
	case trueValue:
		return "True", nil
	case falseValue:
		return "False", nil
	case nanValue:
		return "NaN", nil
	case infinityValue:
		return "Infinity", nil
	case negativeInfinityValue:
		return "-Infinity", nil
	case constructorStart:
		return string(b.raw()), nil
	case textValue:
		return printText(b.unescape(b.value)), nil
	}
	return "", nil
}

// bindMembers reads the members of the body up to its closing brace.
func (b *binder) bindMembers(s shape, into reflect.Value) *failure {
	for {
		t, f := b.next()
		switch {
		case f != nil:
			return f
		case t == endOfText:
			return b.fail(endOfObject, "")
		case t == containerEnd:
			return nil
		}
		m := s.find(b.unescape(b.value))
		if m == nil {
			f = b.skip()
		} else {
			b.secret = m.secret
			f = b.bindNext(m.kind, into.FieldByIndex(m.index))
		}
		if f != nil {
			return f
		}
	}
}

// bindNext reads the value of the member whose name was just read.
func (b *binder) bindNext(k kind, target reflect.Value) *failure {
	name := b.value
	t, f := b.next()
	if f != nil {
		return f
	}
	if t == endOfText {
		shown := capped(string(b.unescape(name)), maxPathUnits)
		return b.fail(notClosed, "Unexpected end when setting "+shown+"'s value.")
	}
	return b.bind(k, target, t)
}

// skip reads and checks the value of an unknown member.
func (b *binder) skip() *failure {
	around := b.depth
	for {
		t, f := b.next()
		switch {
		case f != nil:
			return f
		case t == endOfText:
			return b.fail(endOfObject, "")
		case t == numberValue:
			_, f = b.anyNumber(b.raw())
			if f != nil {
				return f
			}
		}
		if b.depth == around {
			return nil
		}
	}
}

// raw returns the last value as sent.
func (b *binder) raw() []byte { return b.text[b.value.start:b.value.end] }

// noteUnclean records the last value if it is the first string with invalid text.
func (b *binder) noteUnclean() {
	if b.unclean == nil && !b.isValid(b.value) {
		b.unclean = b.fail(notAcceptable, "The text is not valid UTF-8.")
	}
}
