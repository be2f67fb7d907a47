package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		values []string // nil for no header
		well   bool
	}{
		{"none", nil, true},
		{"a word", []string{"order-17"}, true},
		{"every visible character", []string{"!~\"\\'(),/:;<=>?@[]{}"}, true},
		{"the greatest length", []string{strings.Repeat("a", 255)}, true},
		{"too long", []string{strings.Repeat("a", 256)}, false},
		{"empty", []string{""}, false},
		{"a space", []string{"a b"}, false},
		{"a tab", []string{"a\tb"}, false},
		{"delete", []string{"a\x7f"}, false},
		{"beyond ASCII", []string{"é"}, false},
		{"no UTF-8", []string{"\xff"}, false},
		{"twice", []string{"a", "a"}, false},
	} {
		header := make(http.Header)
		if row.values != nil {
			header["Idempotency-Key"] = row.values
		}
		key, given, err := idempotencyKey(header)
		if given != (row.values != nil) || (err == nil) != row.well {
			t.Errorf("%s: given %v (%v)", row.name, given, err)
		}
		if err == nil && given && key != row.values[0] {
			t.Errorf("%s: the key is %q", row.name, key)
		}
	}
}
