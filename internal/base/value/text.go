package value

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Cut returns the beginning of a text, of at most so many bytes, without broken characters.
func Cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// DateText returns a calendar date, and nothing for the zero time.
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
	_ = encoder.Encode(text) // a string can always be encoded
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
