package jsonbody

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quotedValue reads a quoted string.
func (r *reader) quotedValue(quote byte) (token, *failure) {
	if f := r.quoted(quote); f != nil {
		return 0, f
	}
	r.settle()
	return textValue, nil
}

// quoted reads up to the next quote of the same kind. The string may contain line ends and control
// characters.
func (r *reader) quoted(quote byte) *failure {
	start := r.at + 1
	escaped := false
	for i := start; i < len(r.text); i++ {
		switch r.text[i] {
		case quote:
			r.value = span{start: start, end: i, escaped: escaped}
			r.at = i + 1
			return nil
		case '\\':
			escaped = true
			last, f := r.escape(i)
			if f != nil {
				return f
			}
			i = last
		}
	}
	r.at = len(r.text)
	return r.fail(syntax, "Unterminated string. Expected delimiter: "+string(quote)+".")
}

// escape checks the escape sequence that begins at the offset backslash and returns the offset of
// its last byte. An escape at the end of the text is left to the caller, which reports the missing
// quote.
func (r *reader) escape(backslash int) (last int, f *failure) {
	letter := backslash + 1
	if letter == len(r.text) {
		return letter, nil
	}
	switch r.text[letter] {
	case 'b', 't', 'n', 'f', 'r', '\\', '"', '\'', '/':
		return letter, nil
	case 'u':
		return r.unicodeEscape(letter + 1)
	}
	r.at = letter
	f = r.fail(syntax, `Bad JSON escape sequence: \`+r.char()+".")
	f.place.position++ // the letter is consumed, and ends no line even if it is a line end
	return letter, f
}

// unicodeEscape checks the four hexadecimal digits of an escape sequence.
func (r *reader) unicodeEscape(first int) (last int, f *failure) {
	const digits = 4
	rest := r.text[first:]
	if len(rest) >= digits {
		if _, ok := parseHex(rest[:digits]); ok {
			return first + digits - 1, nil
		}
	}
	four := cutUnits(string(rest), digits)
	if len(four) == len(rest) && countUnits(four) < digits {
		return len(r.text), nil
	}
	r.at = first
	return first, r.fail(syntax, `Invalid Unicode escape sequence: \u`+r.echo(four)+".")
}

// parseHex returns the value of hexadecimal digits.
func parseHex(digits []byte) (n rune, ok bool) {
	for _, c := range digits {
		value := strings.IndexByte("0123456789abcdef", lower(c))
		if value < 0 {
			return 0, false
		}
		n = n<<4 | rune(value)
	}
	return n, true
}

// unescape returns the text of a span. It copies only if there is a backslash.
func (r *reader) unescape(s span) []byte {
	raw := r.text[s.start:s.end]
	if !s.escaped {
		return raw
	}
	plain := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(plain, raw...)
		}
		plain = append(plain, raw[:i]...)
		char, size := unescapeOne(raw[i:])
		plain = utf8.AppendRune(plain, char)
		raw = raw[i+size:]
	}
	return plain
}

// isValid reports whether a span was sent as valid characters: none was replaced, and none is an
// unpaired surrogate.
func (r *reader) isValid(s span) bool {
	for _, at := range r.replaced {
		if s.start <= at && at < s.end {
			return false
		}
	}
	if !s.escaped {
		return true
	}
	for raw := r.text[s.start:s.end]; ; {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return true
		}
		char, size := unescapeOne(raw[i:])
		if utf16.IsSurrogate(char) {
			return false
		}
		raw = raw[i+size:]
	}
}

// unescapeOne returns the character of a checked escape sequence and the sequence's length.
func unescapeOne(raw []byte) (char rune, size int) {
	if raw[1] != 'u' {
		if i := strings.IndexByte("bfnrt", raw[1]); i >= 0 {
			return rune("\b\f\n\r\t"[i]), 2
		}
		return rune(raw[1]), 2
	}
	char, _ = parseHex(raw[2:6])
	if !utf16.IsSurrogate(char) {
		return char, 6
	}
	// Only a surrogate pair in order is a character; in UTF-8 an unpaired surrogate becomes U+FFFD.
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		other, _ := parseHex(raw[8:12])
		if pair := utf16.DecodeRune(char, other); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return char, 6
}
