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

// FuzzBasicCredentials checks that well-formed credentials are decoded unchanged, and that no
// malformed header is accepted.
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
