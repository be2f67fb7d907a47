package api

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBasicCredentials(t *testing.T) {
	t.Parallel()
	token := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for header, want := range map[string][2]string{
		"Basic " + token("key:secret"):     {"key", "secret"},
		"bASIC " + token("key:secret"):     {"key", "secret"},
		" Basic   " + token("key:secret "): {"key", "secret "},
		"Basic " + token("key:a:b"):        {"key", "a:b"},
		"Basic " + token("key:"):           {"key", ""},
		"Basic " + token(":secret"):        {"", "secret"},
		"Basic " + token("schlüssel:ß"):    {"schlüssel", "ß"},
	} {
		name, secret, well := basicCredentials(header)
		if !well || name != want[0] || secret != want[1] {
			t.Errorf("%q gives %q and %q, %v", header, name, secret, well)
		}
	}
	for _, header := range []string{
		"", "Basic", "Basic ", "Bearer " + token("key:secret"), token("key:secret"),
		"Basic" + token("key:secret"), "Basic " + token("key"), "Basic " + token("\xff:secret"),
		"Basic !", "Basic " + strings.TrimRight(token("key:secret"), "=") + "!",
		"Basic " + token("key:secret") + " more", "Basic key:secret",
		"Basic " + base64.RawURLEncoding.EncodeToString([]byte("key:>>>???")),
	} {
		name, secret, well := basicCredentials(header)
		if well {
			t.Errorf("%q gives %q and %q, want nothing", header, name, secret)
		}
	}
}

// FuzzBasicCredentials holds that well formed credentials come back as they were sent, and that
// nothing else is taken for a name and a secret.
func FuzzBasicCredentials(f *testing.F) {
	f.Add("key", "secret", "Basic a2V5OnNlY3JldA==")
	f.Add("", ":", "Basic\t=")
	f.Fuzz(func(t *testing.T, name, secret, header string) {
		request := &http.Request{Header: make(http.Header)}
		request.SetBasicAuth(name, secret)
		gotName, gotSecret, well := basicCredentials(request.Header.Get("Authorization"))
		if utf8.ValidString(name+":"+secret) && !strings.Contains(name, ":") {
			if !well || gotName != name || gotSecret != secret {
				t.Fatalf("%q and %q come back as %q and %q, %v", name, secret, gotName, gotSecret,
					well)
			}
		}
		if name, secret, well := basicCredentials(header); well {
			if strings.Contains(name, ":") || !utf8.ValidString(name+":"+secret) {
				t.Fatalf("%q gives %q and %q", header, name, secret)
			}
		}
	})
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	const (
		sent  = "3F2504E0-4f89-41d3-9a0c-0305e82c3301"
		other = "11111111-2222-3333-4444-555555555555"
	)
	for _, row := range []struct {
		name, own, legacy, want string
	}{
		{"none", "", "", newID},
		{"one", sent, "", strings.ToLower(sent)},
		{"the other name", "", sent, strings.ToLower(sent)},
		{"both", other, sent, other},
		{"malformed, and the other name", "x", other, other},
		{"no UUID", "1234", "", newID},
		{"in braces", "{" + sent + "}", "", newID},
		{"as a URN", "urn:uuid:" + sent, "", newID},
		{"without dashes", strings.ReplaceAll(sent, "-", ""), "", newID},
		{"with more behind it", sent + "x", "", newID},
	} {
		header := make(http.Header)
		if row.own != "" {
			header.Set("X-Request-Id", row.own)
		}
		if row.legacy != "" {
			header.Set("X-CorePro-RequestId", row.legacy)
		}
		if got := requestID(header, func() string { return newID }); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

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
