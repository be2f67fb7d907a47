package web

import "strings"

// IdempotencyKey returns the key under which a request is done once, of the values of the header
// Idempotency-Key. The header is valid when it is absent, or stands there once with 1 to 255 visible
// ASCII characters. Each face answers an invalid one in its own words.
func IdempotencyKey(values []string) (key string, given, valid bool) {
	const maxLength = 255
	if values == nil {
		return "", false, true
	}
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(values) != 1 || values[0] == "" || len(values[0]) > maxLength ||
		strings.ContainsFunc(values[0], invisible) {
		return "", true, false
	}
	return values[0], true, true
}
