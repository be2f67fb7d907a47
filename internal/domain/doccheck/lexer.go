package doccheck

import (
	"encoding/hex"
	"errors"
	"strings"
)

// The values of a PDF. An integer is an int, null is nil, and a value that the check does not need
// is other: strings, other numbers, true and false.
type (
	name  string
	ref   struct{ number, generation int }
	array []any
	dict  map[name]any
	other struct{}

	// keyword is a token that is not a value, such as endobj.
	keyword string
)

// stream is a dictionary with data, packed as the dictionary describes.
type stream struct {
	dict
	data string
}

const (
	maxDepth  = 100     // nesting of arrays and dictionaries
	maxValues = 200_000 // of one object
)

var (
	errSyntax = errors.New("it is damaged")
	errValues = errors.New("an object of it has too many values")
)

// lexer reads values from a string.
type lexer struct {
	text   string
	at     int
	values int // number of values read
}

const blanks = "\x00\t\n\f\r "

// ends marks the characters that end a number, a name or a keyword.
var ends = func() (table [256]bool) {
	for _, c := range []byte(blanks + "()<>[]{}/%") {
		table[c] = true
	}
	return table
}()

// skip skips blanks and comments.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		switch l.text[l.at] {
		case '%':
			end := strings.IndexAny(l.text[l.at:], "\r\n")
			if end < 0 {
				end = len(l.text) - l.at
			}
			l.at += end
		case '\x00', '\t', '\n', '\f', '\r', ' ':
			l.at++
		default:
			return
		}
	}
}

// take skips text, and reports whether it was there.
func (l *lexer) take(text string) bool {
	if !strings.HasPrefix(l.text[l.at:], text) {
		return false
	}
	l.at += len(text)
	return true
}

// regular returns the characters up to the next blank or delimiter.
func (l *lexer) regular() string {
	begin := l.at
	for l.at < len(l.text) && !ends[l.text[l.at]] {
		l.at++
	}
	return l.text[begin:l.at]
}

// int reads an integer that is not negative.
func (l *lexer) int() (int, error) {
	l.skip()
	number, ok := whole(l.regular())
	if !ok {
		return 0, errSyntax
	}
	return number, nil
}

// whole parses an integer that consists only of digits.
func whole(digits string) (int, bool) {
	const most = 12 // digits
	number := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
		number = 10*number + int(c-'0')
	}
	return number, digits != "" && len(digits) <= most
}

// expect reads a keyword and returns an error if it is not word.
func (l *lexer) expect(word string) error {
	l.skip()
	if l.regular() != word {
		return errSyntax
	}
	return nil
}

// value reads a value.
func (l *lexer) value() (any, error) {
	l.values = 0
	return l.valueAt(0)
}

func (l *lexer) valueAt(depth int) (any, error) {
	object, err := l.next(depth)
	if _, ok := object.(keyword); ok {
		return nil, errSyntax
	}
	return object, err
}

// next reads a value or a keyword.
func (l *lexer) next(depth int) (any, error) {
	l.values++
	l.skip()
	switch {
	case l.values > maxValues:
		return nil, errValues
	case l.at == len(l.text):
		return nil, errSyntax
	case l.take("<<"):
		return l.dict(depth + 1)
	case l.take("["):
		return l.array(depth + 1)
	case l.take("("):
		return other{}, l.string()
	case l.take("<"):
		return other{}, l.hexadecimal()
	case l.take("/"):
		return l.name()
	}
	switch word := l.regular(); {
	case word == "":
		return nil, errSyntax
	case word == "null":
		return nil, nil
	case word == "true", word == "false":
		return other{}, nil
	case strings.IndexByte("+-.0123456789", word[0]) >= 0:
		return l.number(word)
	default:
		return keyword(word), nil
	}
}

// number returns the integer in word, or the reference that starts with it.
func (l *lexer) number(word string) (any, error) {
	number, ok := whole(word)
	if !ok {
		if strings.Trim(word, "+-.0123456789") != "" {
			return nil, errSyntax
		}
		return other{}, nil // a fraction or a number with a sign
	}
	after := l.at
	generation, err := l.int()
	if err == nil && l.expect("R") == nil {
		return ref{number, generation}, nil
	}
	l.at = after
	return number, nil
}

func (l *lexer) array(depth int) (any, error) {
	values := array{}
	for depth <= maxDepth {
		l.skip()
		if l.take("]") {
			return values, nil
		}
		value, err := l.valueAt(depth)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return nil, errSyntax
}

// dict reads a dictionary. Viewers differ in which of two equal keys they use, so dict rejects
// duplicate keys unless they refer to the same object.
func (l *lexer) dict(depth int) (any, error) {
	entries := make(dict)
	for depth <= maxDepth {
		l.skip()
		if l.take(">>") {
			return entries, nil
		}
		key, err := l.valueAt(depth)
		if err != nil {
			return nil, err
		}
		named, ok := key.(name)
		if !ok {
			return nil, errSyntax
		}
		value, err := l.valueAt(depth)
		if err != nil {
			return nil, err
		}
		if before, twice := entries[named]; twice {
			if to, ok := before.(ref); !ok || value != to {
				return nil, errSyntax
			}
		}
		entries[named] = value
	}
	return nil, errSyntax
}

// name reads a name, in which #41 stands for A.
func (l *lexer) name() (any, error) {
	text := l.regular()
	if !strings.Contains(text, "#") {
		return name(text), nil
	}
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '#' && i+2 < len(text) {
			if c, err := hex.DecodeString(text[i+1 : i+3]); err == nil {
				plain.Write(c)
				i += 2
				continue
			}
		}
		plain.WriteByte(text[i])
	}
	return name(plain.String()), nil
}

// string skips a string, in which unescaped parentheses come in pairs.
func (l *lexer) string() error {
	for open := 1; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '\\':
			l.at++
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			l.at++
			return nil
		}
	}
	l.at = len(l.text)
	return errSyntax
}

// hexadecimal skips a string of hexadecimal digits.
func (l *lexer) hexadecimal() error {
	rest := l.text[l.at:]
	end := strings.IndexByte(rest, '>')
	if end < 0 || strings.Trim(rest[:end], blanks+"0123456789abcdefABCDEF") != "" {
		return errSyntax
	}
	l.at += end + 1
	return nil
}
