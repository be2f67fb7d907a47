package doccheck

import (
	"compress/zlib"
	"fmt"
	"io"
	"strings"
)

var errUnpacked = fmt.Errorf("it unpacks to more than %d MB", maxUnpackedMegas)

// decode unpacks a stream that holds objects or cross-references. Such streams are packed with
// FlateDecode or not at all.
func (f *file) decode(s stream) (string, error) {
	filters, err := f.list(s.dict["Filter"])
	if err != nil {
		return "", err
	}
	parameters, err := f.list(s.dict["DecodeParms"])
	if err != nil {
		return "", err
	}
	switch {
	case len(filters) == 0:
		return s.data, nil
	case len(filters) > 1 || filters[0] != name("FlateDecode") || len(parameters) > 1:
		return "", errSyntax
	}
	text, err := f.inflate(s.data)
	if err != nil || len(parameters) == 0 {
		return text, err
	}
	about, _ := parameters[0].(dict)
	return predicted(text, about)
}

// list returns a value as a slice: the elements of an array, or the value itself, with references
// resolved.
func (f *file) list(value any) ([]any, error) {
	value, err := f.resolve(value)
	if err != nil {
		return nil, err
	}
	values, ok := value.(array)
	switch {
	case value == nil:
		return nil, nil
	case !ok:
		return []any{value}, nil
	}
	resolved := make([]any, 0, len(values))
	for _, value := range values {
		value, err := f.resolve(value)
		if err != nil {
			return nil, err
		}
		resolved = append(resolved, value)
	}
	return resolved, nil
}

// inflate unpacks data, within the limit on the unpacked size of a file. It counts first, so that a
// file that unpacks to more than the limit allocates no memory.
func (f *file) inflate(data string) (string, error) {
	left := int64(maxUnpacked - f.unpacked)
	n, err := inflateTo(io.Discard, data, left+1)
	switch {
	case n > left:
		return "", errUnpacked
	case err != nil:
		return "", errSyntax
	}
	f.unpacked += int(n)
	var text strings.Builder
	text.Grow(int(n))
	_, err = inflateTo(&text, data, n)
	return text.String(), err
}

// inflateTo unpacks at most most bytes, and returns the number of bytes.
func inflateTo(w io.Writer, data string, most int64) (int64, error) {
	r, err := zlib.NewReader(strings.NewReader(data))
	if err != nil {
		return 0, err
	}
	return io.Copy(w, io.LimitReader(r, most))
}

// predicted reverses the PNG prediction of packed data. A byte before each row selects the
// predictor that computes the row from its neighbours.
func predicted(packed string, about dict) (string, error) {
	number := func(key name, without int) int {
		switch value := about[key].(type) {
		case nil:
			return without
		case int:
			return value
		}
		return -1
	}
	predictor, columns := number("Predictor", 1), number("Columns", 1)
	switch {
	case predictor == 1:
		return packed, nil
	case predictor < 10 || predictor > 15 || columns < 1 || columns > len(packed),
		number("Colors", 1) != 1, number("BitsPerComponent", 8) != 8:
		return "", errSyntax
	}
	text := []byte(packed)
	plain := make([]byte, 0, len(text))
	above := make([]byte, columns)
	for ; len(text) > columns; text = text[columns+1:] {
		row := text[1 : columns+1]
		if err := unpredict(text[0], row, above); err != nil {
			return "", err
		}
		plain, above = append(plain, row...), row
	}
	if len(text) > 0 {
		return "", errSyntax
	}
	return string(plain), nil
}

// unpredict reverses the prediction of a row.
func unpredict(by byte, row, above []byte) error {
	var left, corner byte
	for i := range row {
		switch by {
		case 0:
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += nearest(left, above[i], corner)
		default:
			return errSyntax
		}
		left, corner = row[i], above[i]
	}
	return nil
}

// nearest is the Paeth predictor.
func nearest(left, above, corner byte) byte {
	distance := func(to byte) int {
		d := int(left) + int(above) - int(corner) - int(to)
		return max(d, -d)
	}
	a, b, c := distance(left), distance(above), distance(corner)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return above
	}
	return corner
}
