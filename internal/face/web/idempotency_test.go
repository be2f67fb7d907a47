package web

import (
	"strings"
	"testing"
)

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		values []string // nil without a header
		valid  bool
	}{
		{"none", nil, true},
		{"a header without a value", []string{}, false},
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
		key, given, valid := IdempotencyKey(row.values)
		if given != (row.values != nil) || valid != row.valid {
			t.Errorf("%s: given is %v, valid %v", row.name, given, valid)
		}
		want := ""
		if given && valid {
			want = row.values[0]
		}
		if key != want {
			t.Errorf("%s: the key is %q, want %q", row.name, key, want)
		}
	}
}
