package doccheck

import (
	"context"
	"errors"
	"strings"
)

var (
	errHeader = errors.New("it does not begin with %PDF")
	errEnd    = errors.New("its end is missing")
	errXref   = errors.New("its cross-reference table is damaged")
)

// open reads the cross-reference tables of a PDF, from the newest to the oldest.
func open(ctx context.Context, content string) (*file, error) {
	if !strings.HasPrefix(content, "%PDF-") {
		return nil, errHeader
	}
	// Viewers look for the end in the last 1,024 bytes.
	tail := content[max(0, len(content)-1024):]
	at := strings.LastIndex(tail, "startxref")
	if at < 0 {
		return nil, errEnd
	}
	l := &lexer{text: tail, at: at + len("startxref")}
	next, err := l.int()
	if err != nil {
		return nil, errEnd
	}
	f := &file{
		ctx: ctx, content: content, places: make(map[int]place), packed: make(map[int]*packed),
	}
	for read := make(map[int]bool); ; {
		if read[next] {
			return nil, errXref
		}
		read[next] = true
		trailer, err := f.section(next)
		if err != nil {
			return nil, inXref(err)
		}
		if f.trailer == nil {
			f.trailer = trailer
		}
		switch before := trailer["Prev"].(type) {
		case nil:
			return f, nil
		case int:
			next = before
		default:
			return nil, errXref
		}
	}
}

// inXref converts an error from reading a cross-reference table.
func inXref(err error) error {
	if errors.Is(err, errSyntax) {
		return errXref
	}
	return err
}

// section reads the table or stream at an offset, and returns its trailer.
func (f *file) section(at int) (dict, error) {
	if at < 0 || at >= len(f.content) {
		return nil, errXref
	}
	l := &lexer{text: f.content, at: at}
	l.skip()
	if l.take("xref") {
		trailer, err := f.table(l)
		if err != nil {
			return nil, err
		}
		return trailer, f.account(l.at - at)
	}
	return f.crossReferences(at)
}

// put stores the place of an object. The newest section is read first, and wins.
func (f *file) put(number int, where place) error {
	f.entries++
	if f.entries > maxObjects {
		return errObjects
	}
	if _, ok := f.places[number]; !ok {
		f.places[number] = where
	}
	return nil
}

// table reads a table, and also the stream of a hybrid file, whose objects are free in the table.
func (f *file) table(l *lexer) (dict, error) {
	var unused []int
	for {
		l.skip()
		if l.take("trailer") {
			break
		}
		first, err := l.int()
		if err != nil {
			return nil, err
		}
		count, err := l.int()
		if err != nil {
			return nil, err
		}
		for number := first; number < first+count; number++ {
			where, err := l.entry()
			if err != nil {
				return nil, err
			}
			if where.kind == free {
				unused = append(unused, number)
				continue
			}
			if err := f.put(number, where); err != nil {
				return nil, err
			}
		}
	}
	value, err := l.value()
	if err != nil {
		return nil, err
	}
	trailer, ok := value.(dict)
	if !ok {
		return nil, errSyntax
	}
	if beside, ok := trailer["XRefStm"].(int); ok {
		if _, err := f.crossReferences(beside); err != nil {
			return nil, err
		}
	}
	for _, number := range unused {
		if err := f.put(number, place{}); err != nil {
			return nil, err
		}
	}
	return trailer, nil
}

// entry reads a line of a table, such as 0000000017 00000 n.
func (l *lexer) entry() (place, error) {
	at, err := l.int()
	if err != nil {
		return place{}, err
	}
	generation, err := l.int()
	if err != nil {
		return place{}, err
	}
	l.skip()
	switch l.regular() {
	case "n":
		if at > 0 {
			return place{plain, at, generation}, nil
		}
		return place{}, nil // some programs write unused entries like this
	case "f":
		return place{}, nil
	}
	return place{}, errSyntax
}

// crossReferences reads a cross-reference stream and returns its dictionary, which is a trailer.
func (f *file) crossReferences(at int) (dict, error) {
	if at < 0 {
		return nil, errSyntax
	}
	_, l, err := f.header(at)
	if err != nil {
		return nil, err
	}
	value, err := f.body(l)
	if err != nil {
		return nil, err
	}
	if err := f.account(l.at - at); err != nil {
		return nil, err
	}
	s, ok := value.(stream)
	if !ok || s.dict["Type"] != name("XRef") {
		return nil, errSyntax
	}
	text, err := f.decode(s)
	if err != nil {
		return nil, err
	}
	widths, err := ints(s.dict["W"])
	if err != nil || len(widths) != 3 {
		return nil, errSyntax
	}
	ranges, err := ints(s.dict["Index"])
	if s.dict["Index"] == nil {
		ranges, err = ints(array{0, s.dict["Size"]})
	}
	if err != nil || len(ranges)%2 != 0 {
		return nil, errSyntax
	}
	for ; len(ranges) > 0; ranges = ranges[2:] {
		for number := ranges[0]; number < ranges[0]+ranges[1]; number++ {
			where, rest, err := record(text, widths)
			if err != nil {
				return nil, err
			}
			text = rest
			if err := f.put(number, where); err != nil {
				return nil, err
			}
		}
	}
	return s.dict, nil
}

// ints returns the values of an array of non-negative integers.
func ints(value any) ([]int, error) {
	values, _ := value.(array)
	numbers := make([]int, 0, len(values))
	for _, value := range values {
		number, ok := value.(int)
		if !ok || number < 0 {
			return nil, errSyntax
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// record reads the three numbers of an entry, with the given widths in bytes, and returns the rest.
func record(text string, widths []int) (place, string, error) {
	numbers := [3]int{int(plain)} // the kind is optional
	for i, width := range widths {
		if width > 8 || width > len(text) {
			return place{}, "", errSyntax
		}
		if width > 0 {
			numbers[i] = 0
		}
		for _, c := range []byte(text[:width]) {
			numbers[i] = numbers[i]<<8 | int(c)
		}
		if text = text[width:]; numbers[i] < 0 {
			return place{}, "", errSyntax
		}
	}
	where := place{kind(numbers[0]), numbers[1], numbers[2]}
	if where.kind == plain && where.at == 0 {
		where = place{}
	}
	return where, text, nil
}
