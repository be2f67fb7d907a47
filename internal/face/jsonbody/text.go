package jsonbody

import (
	"bytes"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText returns the body as valid UTF-8 without its byte order mark, and the offset of each
// U+FFFD that replaces invalid input. It returns a valid UTF-8 body without copying.
func decodeText(body []byte) (text []byte, replaced []int) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		body = body[3:]
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return fromUTF16(body[2:], 0, 1)
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return fromUTF16(body[2:], 1, 0)
	}
	if utf8.Valid(body) {
		return body, nil
	}
	return replaceInvalid(body)
}

// fromUTF16 decodes pairs of bytes; low and high are the offsets of the bytes in a pair.
func fromUTF16(body []byte, low, high int) (text []byte, replaced []int) {
	text = make([]byte, 0, len(body)*3/2)
	var units []uint16
	for ; len(body) >= 2; body = body[2:] {
		units = append(units, uint16(body[low])|uint16(body[high])<<8)
	}
	for _, char := range utf16.Decode(units) {
		if char == utf8.RuneError && units[0] != utf8.RuneError {
			replaced = append(replaced, len(text))
		}
		text = utf8.AppendRune(text, char)
		units = units[utf16.RuneLen(char):]
	}
	if len(body) == 1 {
		replaced = append(replaced, len(text))
		text = utf8.AppendRune(text, utf8.RuneError)
	}
	return text, replaced
}

// replaceInvalid replaces each invalid sequence by one U+FFFD.
func replaceInvalid(body []byte) (text []byte, replaced []int) {
	text = make([]byte, 0, len(body)+len(body)/2)
	for len(body) > 0 {
		char, size := utf8.DecodeRune(body)
		if char == utf8.RuneError && size == 1 {
			size = invalidSize(body)
			replaced = append(replaced, len(text))
		}
		text = utf8.AppendRune(text, char)
		body = body[size:]
	}
	return text, replaced
}

// invalidSize returns the length of the invalid sequence at the start of body: the longest prefix
// of any character, else one byte. Positions in messages depend on it.
func invalidSize(body []byte) int {
	// A proper prefix of a character is not a full rune.
	for size := min(3, len(body)); size > 1; size-- {
		if !utf8.FullRune(body[:size]) {
			return size
		}
	}
	return 1
}

// isSpace reports whether char is white space to the reader. A NUL is not, but skipSpace skips it
// too.
func isSpace(char rune) bool {
	switch {
	case char < utf8.RuneSelf:
		return char == ' ' || '\t' <= char && char <= '\r'
	case 0x2000 <= char && char <= 0x200a:
		return true
	}
	switch char {
	case 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return false
}

// isNameChar reports whether char may be part of an unquoted member name. The reader works on
// single UTF-16 code units, so characters beyond the first plane are not letters.
func isNameChar(char rune) bool {
	if char < utf8.RuneSelf {
		return 'a' <= char && char <= 'z' || 'A' <= char && char <= 'Z' ||
			'0' <= char && char <= '9' || char == '_' || char == '$'
	}
	return char <= 0xffff && (unicode.IsLetter(char) || unicode.Is(unicode.Nd, char))
}

// startsNumber reports whether a number may begin with char.
func startsNumber(char rune) bool {
	return char == '-' || char == '.' || char <= 0xffff && unicode.IsNumber(char)
}

// printChar returns char in the form of messages. The reader shows one UTF-16 code unit, and an
// unpaired surrogate is U+FFFD on the wire.
func printChar(char rune) string {
	if char > 0xffff {
		char = utf8.RuneError
	}
	return string(char)
}

// units returns the number of UTF-16 code units of a UTF-8 byte: the first byte of a character
// counts for the whole character.
func units(b byte) int {
	switch {
	case b&0xc0 == 0x80:
		return 0
	case b >= 0xf0:
		return 2
	}
	return 1
}

func countUnits(text string) int {
	count := 0
	for i := range len(text) {
		count += units(text[i])
	}
	return count
}

// cutUnits returns the longest prefix of text within limit UTF-16 code units. A surrogate pair is
// not split.
func cutUnits(text string, limit int) string {
	count := 0
	for i := range len(text) {
		count += units(text[i])
		if count > limit {
			return text[:i]
		}
	}
	return text
}

// capped cuts text to limit code units and marks the cut. Messages repeat what the client sent, and
// must stay short.
func capped(text string, limit int) string {
	kept := cutUnits(text, limit)
	if len(kept) == len(text) {
		return text
	}
	return kept + "…"
}

// equalIgnoringCase compares text with an ASCII string, ignoring case. Letters beyond ASCII never
// equal ASCII ones.
func equalIgnoringCase(text []byte, ascii string) bool {
	if len(text) != len(ascii) {
		return false
	}
	for i, b := range text {
		if lower(b) != lower(ascii[i]) {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
