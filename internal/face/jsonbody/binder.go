package jsonbody

import "reflect"

// binder puts the reader's values into a struct. Its own stack holds the structs, lists and maps
// that are being filled; the loop works on the innermost.
type binder struct {
	reader
	levels [maxDepth]level
	open   int // levels in use

	// unclean is the first member bound to a text that is not valid. It is reported when the body has
	// no other fault.
	unclean *failure
}

// level is a container that is being filled.
type level struct {
	shape  *shape
	target reflect.Value
}

// bindBody reads the whole body.
func (b *binder) bindBody(s *shape, name string, into reflect.Value) *failure {
	t, f := b.next()
	if f != nil {
		return f
	}
	switch t {
	case objectStart:
		b.enter(s, into)
		f = b.fill()
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

// bindScalarBody reports a body that is a single value. Null and the empty text count as no body,
// but a fault after them is reported first.
func (b *binder) bindScalarBody(t token, name string) *failure {
	printed, _, f := b.printScalar(t)
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

func (b *binder) enter(s *shape, target reflect.Value) {
	b.levels[b.open] = level{s, target}
	b.open++
}

// fill reads until the container that was entered first is full.
func (b *binder) fill() *failure {
	for b.open > 0 {
		var f *failure
		switch top := &b.levels[b.open-1]; top.shape.kind {
		case structKind:
			f = b.fillStruct(top)
		case listKind:
			f = b.fillList(top)
		default:
			f = b.fillMap(top)
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// nextInside reads the next token of the innermost container, and leaves the container at its end.
// atEnd is the failure to report when the text ends there.
func (b *binder) nextInside(atEnd failureKind, what string) (token, *failure) {
	t, f := b.next()
	switch {
	case f != nil:
		return 0, f
	case t == endOfText:
		return 0, b.fail(atEnd, what)
	case t == containerEnd:
		b.open--
	}
	return t, nil
}

// fillStruct reads the next member of a struct, or its end.
func (b *binder) fillStruct(top *level) *failure {
	t, f := b.nextInside(endOfObject, "")
	if f != nil || t == containerEnd {
		return f
	}
	m := top.shape.record.find(b.unescape(b.value))
	if m == nil {
		return b.skip()
	}
	b.secret = m.secret
	return b.bindNext(m.shape, top.target.FieldByIndex(m.index))
}

// fillMap reads the next entry of a map, or its end.
func (b *binder) fillMap(top *level) *failure {
	t, f := b.nextInside(endOfObject, "")
	if f != nil || t == containerEnd {
		return f
	}
	key := string(b.unescape(b.value))
	b.noteUnclean()
	entry := reflect.New(top.target.Type().Elem()).Elem()
	if f = b.bindNext(top.shape.elem, entry); f != nil {
		return f
	}
	top.target.SetMapIndex(reflect.ValueOf(key), entry)
	return nil
}

// fillList reads the next element of a list, or its end.
func (b *binder) fillList(top *level) *failure {
	t, f := b.nextInside(notClosed, "Unexpected end when deserializing array.")
	if f != nil || t == containerEnd {
		return f
	}
	last := top.target.Len()
	top.target.Grow(1)
	top.target.SetLen(last + 1)
	return b.bind(top.shape.elem, top.target.Index(last), t)
}

// bindNext reads the value of the name that was just read.
func (b *binder) bindNext(s *shape, target reflect.Value) *failure {
	name := b.value
	t, f := b.next()
	if f != nil {
		return f
	}
	if t == endOfText {
		shown := capped(string(b.unescape(name)), maxPathUnits)
		return b.fail(notClosed, "Unexpected end when setting "+shown+"'s value.")
	}
	return b.bind(s, target, t)
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

// raw returns the last value as it was sent.
func (b *binder) raw() []byte { return b.text[b.value.start:b.value.end] }

// noteUnclean records the last value when it is the first text that is not valid.
func (b *binder) noteUnclean() {
	if b.unclean == nil && !b.isValid(b.value) {
		b.unclean = b.fail(notAcceptable, "The text is not valid UTF-8.")
	}
}
