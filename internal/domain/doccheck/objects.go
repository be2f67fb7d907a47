package doccheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// file is a PDF that is being read.
type file struct {
	ctx     context.Context
	content string
	trailer dict
	places  map[int]place
	packed  map[int]*packed // object streams, by object number

	entries  int // entries read from cross-reference tables
	unpacked int // bytes
	parsed   int // bytes
	nested   int // objects being read, each one for the previous one
}

// place is the location of an object: an offset in the file, or an index in an object stream.
type place struct {
	kind       kind
	at         int // the offset, or the object number of the stream
	generation int // or the index in the stream
}

type kind int

const (
	free kind = iota
	plain
	inStream
)

const (
	maxObjects       = 250_000
	maxUnpacked      = maxUnpackedMegas << 20
	maxUnpackedMegas = 32

	// maxNested limits the depth of reads: reading an object in a stream reads the stream, which in
	// turn reads its length. A length inside its own stream would recurse forever.
	maxNested = 8
)

var (
	errObjects = fmt.Errorf("it has more than %d objects", maxObjects)
	errOverlap = errors.New("its objects overlap")
)

// account counts parsed bytes and limits them to a small multiple of the size of the file.
// Otherwise a small file with overlapping objects could take long to check.
func (f *file) account(bytes int) error {
	f.parsed += bytes
	if f.parsed > 4*(len(f.content)+f.unpacked) {
		return errOverlap
	}
	return f.ctx.Err()
}

// object returns an object by its number, or nil if there is none.
func (f *file) object(number int) (any, error) {
	f.nested++
	defer func() { f.nested-- }()
	if f.nested > maxNested {
		return nil, errSyntax
	}
	where := f.places[number]
	var object any
	var err error
	switch where.kind {
	case plain:
		object, err = f.plain(number, where)
	case inStream:
		object, err = f.inStream(number, where)
	}
	if errors.Is(err, errSyntax) {
		err = fmt.Errorf("object %d is damaged", number)
	}
	return object, err
}

// resolve returns the value to which a reference refers, or any other value unchanged.
func (f *file) resolve(value any) (any, error) {
	to, ok := value.(ref)
	if !ok {
		return value, nil
	}
	object, err := f.object(to.number)
	if _, again := object.(ref); again {
		return nil, errSyntax
	}
	return object, err
}

// plain reads an object of the file and verifies that it is where the cross-reference table says.
func (f *file) plain(number int, where place) (any, error) {
	r, l, err := f.header(where.at)
	if err == nil && r != (ref{number, where.generation}) {
		err = errSyntax
	}
	if err != nil {
		return nil, err
	}
	value, err := f.body(l)
	if err != nil {
		return nil, err
	}
	return value, f.account(l.at - where.at)
}

// header reads the number and generation of an object at an offset.
func (f *file) header(at int) (ref, *lexer, error) {
	if at >= len(f.content) {
		return ref{}, nil, errSyntax
	}
	l := &lexer{text: f.content, at: at}
	var numbers [2]int
	for i := range numbers {
		var err error
		if numbers[i], err = l.int(); err != nil {
			return ref{}, nil, err
		}
	}
	return ref{numbers[0], numbers[1]}, l, l.expect("obj")
}

// body reads the value of an object, up to its endobj.
func (f *file) body(l *lexer) (any, error) {
	value, err := l.value()
	if err != nil {
		return nil, err
	}
	l.skip()
	word := l.regular()
	if about, ok := value.(dict); ok && word == "stream" {
		data, err := f.data(l, about)
		if err != nil {
			return nil, err
		}
		return stream{about, data}, l.expect("endobj")
	}
	if word != "endobj" {
		return nil, errSyntax
	}
	return value, nil
}

// data reads the data of a stream.
func (f *file) data(l *lexer, about dict) (string, error) {
	if !l.take("\r\n") && !l.take("\n") && !l.take("\r") {
		return "", errSyntax
	}
	length, err := f.resolve(about["Length"])
	if err != nil {
		return "", err
	}
	bytes, ok := length.(int)
	if !ok || bytes < 0 || bytes > len(l.text)-l.at {
		return "", errSyntax
	}
	data := l.text[l.at : l.at+bytes]
	l.at += bytes
	l.at = len(l.text) - len(strings.TrimLeft(l.text[l.at:], blanks))
	return data, l.expect("endstream")
}

// packed is an unpacked object stream.
type packed struct {
	text    string
	numbers []int
	places  []int
}

// inStream reads an object from an object stream.
func (f *file) inStream(number int, where place) (any, error) {
	in, err := f.unpack(where.at)
	if err != nil {
		return nil, err
	}
	if where.generation >= len(in.numbers) || in.numbers[where.generation] != number {
		return nil, errSyntax
	}
	return f.packedObject(in, where.generation)
}

func (f *file) packedObject(in *packed, index int) (any, error) {
	l := &lexer{text: in.text, at: in.places[index]}
	value, err := l.value()
	if err != nil {
		return nil, err
	}
	return value, f.account(l.at - in.places[index])
}

// unpack returns an object stream, unpacked.
func (f *file) unpack(number int) (*packed, error) {
	if in, ok := f.packed[number]; ok {
		return in, nil
	}
	object, err := f.object(number)
	if err != nil {
		return nil, err
	}
	s, ok := object.(stream)
	if !ok || s.dict["Type"] != name("ObjStm") {
		return nil, errSyntax
	}
	text, err := f.decode(s)
	if err != nil {
		return nil, err
	}
	in := &packed{text: text}
	objects, err := f.resolve(s.dict["N"])
	if err != nil {
		return nil, err
	}
	first, err := f.resolve(s.dict["First"])
	if err != nil {
		return nil, err
	}
	if err := in.index(objects, first); err != nil {
		return nil, err
	}
	f.packed[number] = in
	return in, nil
}

// index reads the numbers and the offsets of the objects in a stream.
func (in *packed) index(objects, first any) error {
	count, ok := objects.(int)
	begin, also := first.(int)
	if !ok || !also || count < 0 || begin < 0 || begin > len(in.text) {
		return errSyntax
	}
	if count > maxObjects {
		return errObjects
	}
	l := &lexer{text: in.text[:begin]}
	for range count {
		number, err := l.int()
		if err != nil {
			return err
		}
		at, err := l.int()
		if err != nil || at > len(in.text)-begin {
			return errSyntax
		}
		in.numbers = append(in.numbers, number)
		in.places = append(in.places, begin+at)
	}
	return nil
}

// checkObjects parses every object and checks it for active content.
func (f *file) checkObjects() error {
	for _, number := range slices.Sorted(maps.Keys(f.places)) {
		object, err := f.object(number)
		if err != nil {
			return err
		}
		if err := f.refuseActive(object); err != nil {
			return err
		}
	}
	return f.refuseActive(f.trailer)
}
