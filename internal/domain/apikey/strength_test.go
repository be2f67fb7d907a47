package apikey

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func TestCheckStrength(t *testing.T) {
	for range 200 {
		secret := make([]byte, 32)
		_, _ = rand.Read(secret)
		for _, good := range []string{
			base64.RawURLEncoding.EncodeToString(secret), hex.EncodeToString(secret),
			rand.Text() + rand.Text()[:8],
		} {
			if wrong := CheckStrength(good); wrong != "" {
				t.Errorf("%s: %s", good, wrong)
			}
		}
	}
	for _, weak := range []string{
		"", "example1", "correct horse battery staple",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		strings.Repeat("example1", 6), strings.Repeat("0123456789", 5),
		"12345678901234567890123456789012345678901234567890",
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
	} {
		if CheckStrength(weak) == "" {
			t.Errorf("%q is taken for strong", weak)
		}
	}
}
