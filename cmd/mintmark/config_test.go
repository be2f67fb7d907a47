package main

import "testing"

// TestParsePrefix holds the ways to write a trusted proxy, among them an IPv4 address in the form
// that a socket for both versions of IP shows.
func TestParsePrefix(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32",
		"192.0.2.77/24": "192.0.2.0/24", "2001:db8::1": "2001:db8::1/128",
	} {
		if got, err := parsePrefix(text); err != nil || got.String() != want {
			t.Errorf("%q gives %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "proxy", "192.0.2.1/33"} {
		if got, err := parsePrefix(text); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}
