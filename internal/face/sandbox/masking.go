package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/value"
)

// hidden replaces a secret; omitted marks a cut.
const (
	hidden  = "***"
	omitted = "…"
)

// maxName is the maximum length of a displayed key name, in bytes. A key name may be any string.
const maxName = 100

// SecretMembers lists the members of requests and answers that are never shown: PINs, dates of
// birth, card and account numbers. They are compared ignoring case.
var SecretMembers = []string{"newPin", "birthDate", "cardNumberMasked", "accountNumber"}

// shownHeaders lists the headers whose values are not secret. Of all others only the names are
// stored.
var shownHeaders = []string{
	"Accept", "Content-Length", "Content-Type", "Idempotency-Key", "Idempotency-Replayed", "Origin",
	"User-Agent", "X-Corepro-Requestid", "X-Forwarded-For", "X-Request-Id",
}

// maskedHeaders returns the headers of a request in displayable form.
func maskedHeaders(headers []header) map[string]string {
	masked := make(map[string]string, len(headers))
	for _, h := range headers {
		masked[h.name] = hidden
		if slices.Contains(shownHeaders, h.name) {
			masked[h.name] = pan.Mask(visible(h.value))
		}
	}
	return masked
}

// masked returns the text in displayable form, without the values of secret members and without
// full card numbers. A string, number or name that was cut is omitted. If the text is not JSON, a
// member may be written in many ways: then all digits are masked, and everything after the name of
// a secret member is hidden.
func (t text) masked() string {
	all := t.kept
	if t.isCut {
		all = wholeRunes(all)
	}
	masked, isJSON := maskedJSON(all, t.isCut)
	if !isJSON {
		masked = maskedText(visible(string(all)), t.isCut)
	}
	if t.isCut {
		masked += omitted
	}
	return masked
}

// wholeRunes returns the text without an incomplete character at its end.
func wholeRunes(text []byte) []byte {
	for at := len(text) - 1; at >= max(0, len(text)-utf8.UTFMax); at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return text[:at]
			}
			break
		}
	}
	return text
}

// maskedJSON masks JSON, or the beginning of JSON, and reports whether the text is that.
func maskedJSON(text []byte, isCut bool) (masked string, isJSON bool) {
	if !utf8.Valid(text) {
		return "", false
	}
	m := masking{text: text, isCut: isCut, tokens: json.NewDecoder(bytes.NewReader(text))}
	m.tokens.UseNumber()
	err := m.value(false)
	isJSON = err == nil && m.isLast()
	if isCut && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		isJSON = true
	}
	m.out.Write(text[m.done:m.whole])
	return m.out.String(), isJSON
}

// masking copies JSON token by token.
type masking struct {
	text   []byte
	isCut  bool // after the text
	tokens *json.Decoder
	whole  int // end of the last token in text
	done   int // end of the copied part of text
	out    bytes.Buffer
}

// value copies a value, masking what is secret in it.
func (m *masking) value(secret bool) error {
	from, token, err := m.next()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return m.inside(token, secret)
	case string:
		m.replace(from, token, secret)
	case json.Number:
		m.replace(from, token.String(), secret)
	}
	return nil
}

// inside copies the contents of an object or array, and its end.
func (m *masking) inside(delim json.Delim, secret bool) error {
	for m.tokens.More() {
		hides := secret
		if delim == '{' {
			isSecret, err := m.name()
			if err != nil {
				return err
			}
			hides = hides || isSecret
		}
		if err := m.value(hides); err != nil {
			return err
		}
	}
	_, _, err := m.next()
	return err
}

// name copies the name of a member, and reports whether the member is secret.
func (m *masking) name() (isSecret bool, err error) {
	from, token, err := m.next()
	if err != nil {
		return false, err
	}
	name, _ := token.(string)
	m.replace(from, name, false)
	return slices.ContainsFunc(SecretMembers, func(secret string) bool {
		return strings.EqualFold(secret, name)
	}), nil
}

// next reads a token and returns its offset. A number at the cut counts as incomplete: it may have
// lost digits.
func (m *masking) next() (from int, token json.Token, err error) {
	from = int(m.tokens.InputOffset())
	for from < len(m.text) && strings.IndexByte(" \t\r\n,:", m.text[from]) >= 0 {
		from++
	}
	token, err = m.tokens.Token()
	if _, isNumber := token.(json.Number); isNumber && m.isCut && m.isLast() {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		m.whole = int(m.tokens.InputOffset())
	}
	return from, token, err
}

// isLast reports whether nothing follows the last token.
func (m *masking) isLast() bool {
	return len(bytes.Trim(m.text[m.tokens.InputOffset():], " \t\r\n")) == 0
}

// replace writes the masked form of the last token, if it differs.
func (m *masking) replace(from int, value string, secret bool) {
	masked := pan.Mask(value)
	if secret {
		masked = hidden
	}
	if masked == value {
		return
	}
	quoted, err := json.Marshal(masked)
	if err != nil {
		panic(err) // a string
	}
	m.out.Write(m.text[m.done:from])
	m.out.Write(quoted)
	m.done = m.whole
}

// encoded matches a character of base64, which may be escaped. In a text that is not JSON, digits
// are masked, and so is what may be encrypted data: long base64, also over several lines.
const encoded = `[A-Za-z0-9+/_%\\-]`

var (
	anyDigit = regexp.MustCompile(encoded + `{32,}(?:[\x{FFFD} \t]*\n[ \t]*` + encoded +
		`+)*={0,2}|[0-9]`)
	atTheCut = regexp.MustCompile(`(?:` + encoded + `|=)+$`)
)

// secretName matches the name of a secret member, with any of its letters escaped.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + secretNames())
})

func secretNames() string {
	var names []string
	for _, name := range SecretMembers {
		var letters strings.Builder
		for _, letter := range strings.ToLower(name) {
			upper := letter - 'a' + 'A'
			fmt.Fprintf(&letters, `(?:%c|(?:\\u00|\\u\{0*|\\x|%%)(?:%x|%x)\}?)`,
				letter, letter, upper)
		}
		names = append(names, letters.String())
	}
	return "(?:" + strings.Join(names, "|") + ")"
}

// maskedText masks a text that is not JSON: its digits and whatever may be secret.
func maskedText(text string, isCut bool) string {
	if s := secretName().FindStringIndex(text); s != nil {
		return maskedText(text[:s[0]], false) + text[s[0]:s[1]] + hidden
	}
	if isCut {
		text = atTheCut.ReplaceAllString(text, hidden)
	}
	return anyDigit.ReplaceAllStringFunc(text, func(digits string) string {
		if len(digits) > 1 {
			return hidden
		}
		return "*"
	})
}

// visible replaces invalid UTF-8 and control characters, which could move a terminal's cursor.
func visible(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Map(func(r rune) rune {
		const delete = 0x7F
		if r < ' ' && r != '\n' && r != '\t' || r == delete {
			return '\uFFFD'
		}
		return r
	}, text)
}

// cut cuts a text to at most the given number of bytes, and marks the cut.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return value.Cut(text, most) + omitted
}
