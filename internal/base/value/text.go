package value

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Cut returns the beginning of a text, at most the given number of bytes, without broken
// characters.
func Cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// DateText returns a calendar date, or an empty string for the zero time.
func DateText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// AppendText appends a text as a JSON string. Most texts need no escaping and are copied; package
// json encodes the others, without escaping HTML.
func AppendText(to []byte, text string) []byte {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b >= utf8.RuneSelf {
			return append(to, quoted(text)...)
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

func quoted(text string) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // encoding a string never fails
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// Kebab converts the name of a member to that of a flag: numberMasked becomes number-masked.
func Kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) && name[i-1] != ' ' {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
