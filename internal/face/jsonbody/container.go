package jsonbody

import "reflect"

// bindContainer enters a struct, a list or a map.
func (b *binder) bindContainer(s *shape, target reflect.Value, t token) *failure {
	switch {
	case t == undefinedValue:
		return b.bindNull(s, target)
	case t == arrayStart:
		target = taker(target)
		target.Set(reflect.MakeSlice(target.Type(), 0, 0))
		b.enter(s, target)
		return nil
	case t == objectStart && s.kind == listKind:
		return b.objectForList(s)
	case t == objectStart:
		target = taker(target)
		if s.kind == mapKind {
			target.Set(reflect.MakeMap(target.Type()))
		}
		b.enter(s, target)
		return nil
	case t == textValue && s.kind == listKind && s.elem.kind == integerKind:
		return b.fail(integerText, b.echo(string(b.unescape(b.value))))
	}
	return b.notConverted(s, t)
}

// objectForList reports an object in the place of a list. The recorded reader has looked one token
// further by then, so a name in the object is part of the path and decides the kind.
func (b *binder) objectForList(s *shape) *failure {
	t, f := b.next()
	if f != nil {
		return f
	}
	if t == endOfText {
		return b.fail(endOfObject, "")
	}
	word := s.reading()
	if t == memberName && s.elem.kind == structKind {
		if m := s.elem.record.find(b.unescape(b.value)); m != nil {
			word = m.shape.reading()
		}
	}
	return b.unexpected(word, objectStart)
}

// notConverted reports a scalar in the place of a container. Only a scalar that is still a text to
// the reader stands in quotes.
func (b *binder) notConverted(s *shape, t token) *failure {
	printed, isText, f := b.printScalar(t)
	if f != nil {
		return f
	}
	printed = b.echo(printed)
	if isText {
		printed = `"` + printed + `"`
	}
	return b.fail(notAcceptable,
		"Error converting value "+printed+" to type '"+s.typeName+"'.")
}

// printScalar returns a scalar as .NET writes it, and whether it is a text. Null and undefined are
// empty.
func (b *binder) printScalar(t token) (printed string, isText bool, f *failure) {
	switch t {
	case numberValue:
		n, f := b.anyNumber(b.raw())
		return n.String(), false, f
	case trueValue:
		return "True", false, nil
	case falseValue:
		return "False", false, nil
	case nanValue:
		return "NaN", false, nil
	case infinityValue:
		return "Infinity", false, nil
	case negativeInfinityValue:
		return "-Infinity", false, nil
	case constructorStart:
		return string(b.raw()), true, nil
	case textValue:
		printed, isText = printText(b.unescape(b.value))
	}
	return printed, isText, nil
}
