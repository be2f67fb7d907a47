package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mintmark/internal/pan"
)

// hidden stands where a secret stood.
const hidden = "***"

// SecretMembers are the members of requests and answers that are shown to nobody: PINs, dates of
// birth, numbers of cards and accounts. Letter case does not matter.
var SecretMembers = []string{"newPin", "birthDate", "cardNumberMasked", "accountNumber"}

// shownHeaders are the headers whose values are no secrets. Of any other only the name is kept.
var shownHeaders = []string{
	"Accept", "Content-Length", "Content-Type", "Idempotency-Key", "Idempotency-Replayed", "Origin",
	"User-Agent", "X-Corepro-Requestid", "X-Forwarded-For", "X-Request-Id",
}

// maskedHeaders are the headers of a request as they may be shown.
func maskedHeaders(header http.Header) map[string]string {
	masked := make(map[string]string, len(header))
	for name, values := range header {
		masked[name] = hidden
		if slices.Contains(shownHeaders, name) {
			masked[name] = maskedNumbers(shown(strings.Join(values, ", ")))
		}
	}
	return masked
}

// maskedBody is a body as it may be shown: without the values of secret members and without whole
// card numbers. Of a body that is no JSON, in which a member may be written in many ways, no digit
// is shown.
func maskedBody(text []byte) string {
	if !utf8.Valid(text) || !json.Valid(text) {
		return maskedText(shown(string(text)))
	}
	m := masking{text: text, tokens: json.NewDecoder(bytes.NewReader(text))}
	m.tokens.UseNumber()
	m.value(false)
	m.out.Write(text[m.done:])
	return m.out.String()
}

// masking copies a body that is known to be JSON, token by token.
type masking struct {
	text   []byte
	tokens *json.Decoder
	out    bytes.Buffer
	done   int // of the text
}

// value copies a value, without what is secret in it.
func (m *masking) value(secret bool) {
	from := m.start()
	token, err := m.tokens.Token()
	if err != nil {
		panic(err) // the text is JSON
	}
	switch token := token.(type) {
	case json.Delim:
		for m.tokens.More() {
			inside := secret
			if token == '{' {
				inside = m.name() || secret
			}
			m.value(inside)
		}
		_, _ = m.tokens.Token() // the end of the object or the list
	case string:
		m.replace(from, token, secret)
	case json.Number:
		m.replace(from, token.String(), secret)
	}
}

// name reads the name of a member, and reports whether its value is secret.
func (m *masking) name() bool {
	token, _ := m.tokens.Token()
	name, _ := token.(string)
	return slices.ContainsFunc(SecretMembers, func(secret string) bool {
		return strings.EqualFold(secret, name)
	})
}

// start is where the next token begins.
func (m *masking) start() int {
	from := int(m.tokens.InputOffset())
	for strings.IndexByte(" \t\r\n,:", m.text[from]) >= 0 {
		from++
	}
	return from
}

// replace writes a masked text in place of the token that was read last, where it has to.
func (m *masking) replace(from int, value string, secret bool) {
	masked := maskedNumbers(value)
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
	m.done = int(m.tokens.InputOffset())
}

// Digits that may be a card number, and what is masked in a text that is not understood.
var (
	manyDigits = regexp.MustCompile(`[0-9](?:[ -]?[0-9]){12,}`)
	anyDigit   = regexp.MustCompile(`[0-9]|[A-Za-z0-9+/_-]{40,}={0,2}`)
)

// maskedNumbers is a text without whole card numbers. Of each the last four digits stay.
func maskedNumbers(text string) string {
	return manyDigits.ReplaceAllStringFunc(text, func(found string) string {
		digits := strings.NewReplacer(" ", "", "-", "").Replace(found)
		const shortest, longest, stay = 13, 19, 4
		last := len(digits) - 1
		if last+1 <= longest && pan.CheckDigit(digits[:last]) != digits[last] {
			return found
		}
		if last+1 < shortest {
			return found
		}
		return strings.Repeat("*", len(digits)-stay) + digits[len(digits)-stay:]
	})
}

// maskedText is a text that is not understood, without its digits and without what may be sealed.
func maskedText(text string) string {
	return anyDigit.ReplaceAllStringFunc(text, func(found string) string {
		if len(found) > 1 {
			return hidden
		}
		return "*"
	})
}

// shown is a text that people can read whole: without control characters that move the cursor.
func shown(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Map(func(r rune) rune {
		const delete = 0x7F
		if r < ' ' && r != '\n' && r != '\t' || r == delete {
			return '\uFFFD'
		}
		return r
	}, text)
}
