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

// hidden stands where a secret stood, and omitted where a text was cut.
const (
	hidden  = "***"
	omitted = "…"
)

// maxName is how much of the name of a key is shown, which may be any text, in bytes.
const maxName = 100

// SecretMembers are the members of requests and answers that are shown to nobody: PINs, dates of
// birth, numbers of cards and accounts. Letter case does not matter.
var SecretMembers = []string{"newPin", "birthDate", "cardNumberMasked", "accountNumber"}

// shownHeaders are the headers whose values are no secrets. Of any other only the name is kept.
var shownHeaders = []string{
	"Accept", "Content-Length", "Content-Type", "Idempotency-Key", "Idempotency-Replayed", "Origin",
	"User-Agent", "X-Corepro-Requestid", "X-Forwarded-For", "X-Request-Id",
}

// maskedHeaders are the headers of a request as they may be shown.
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

// masked is a text as it may be shown: without the values of secret members and without whole card
// numbers. A text, a number or a name that the cut has gone through is left out. Of a text that is
// no JSON, in which a member may be written in many ways, no digit is shown, and nothing behind the
// name of a secret member.
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

// wholeRunes is a text without the part of a character at its end.
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

// maskedJSON masks JSON, or the beginning of it, and reports whether the text is that.
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
	isCut  bool // behind the text
	tokens *json.Decoder
	whole  int // of the text, up to the end of the last token
	done   int // of the text
	out    bytes.Buffer
}

// value copies a value, without what is secret in it.
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

// inside copies what is in an object or a list, and its end.
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

// name copies the name of a member, and reports whether its value is secret.
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

// next reads a token and returns where it begins. More digits of a number may stand behind the cut.
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

// isLast reports whether nothing stands behind the token that was read last.
func (m *masking) isLast() bool {
	return len(bytes.Trim(m.text[m.tokens.InputOffset():], " \t\r\n")) == 0
}

// replace writes a masked text in place of the token that was read last, where it has to.
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
		panic(err) // a text
	}
	m.out.Write(m.text[m.done:from])
	m.out.Write(quoted)
	m.done = m.whole
}

// What is masked in a text that is not understood: digits, and what may be sealed, in base64 that
// may be escaped or go over several lines.
const encoded = `[A-Za-z0-9+/_%\\-]`

var (
	anyDigit = regexp.MustCompile(encoded + `{32,}(?:[\x{FFFD} \t]*\n[ \t]*` + encoded +
		`+)*={0,2}|[0-9]`)
	atTheCut = regexp.MustCompile(`(?:` + encoded + `|=)+$`)
)

// secretName matches the name of a secret member, any of its letters escaped.
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

// maskedText is a text that is not understood, without its digits and without what may be secret.
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

// visible is a text that people can read whole: without control characters that move the cursor.
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

// cut is a text of at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return value.Cut(text, most) + omitted
}
