package web

import "strings"

// IdempotencyKey returns the idempotency key from the values of the Idempotency-Key header. The
// header is valid if it is absent, or occurs once with 1 to 255 visible ASCII characters. Each face
// words its own error for an invalid one.
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
