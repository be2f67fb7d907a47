package apikey

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
)

func TestCheckStrength(t *testing.T) {
	for range 200 {
		made := make([]byte, 32)
		_, _ = rand.Read(made)
		for _, good := range []string{
			base64.RawURLEncoding.EncodeToString(made), hex.EncodeToString(made),
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

func TestValidate(t *testing.T) {
	good := Key{PerSecond: 1, Burst: 1, Secrets: []Secret{{Digest: digest(1)}, {Digest: digest(2)}}}
	if found := good.Validate(); found != nil {
		t.Errorf("a good key: %v", found)
	}
	bad := Key{PerSecond: -1, Secrets: []Secret{{Digest: digest(1)}, {Digest: digest(1)}}}
	if found := bad.Validate(); len(found) != 2 {
		t.Errorf("a key with two flaws: %v", found)
	}
	if found := (Key{PerSecond: 1}).Validate(); len(found) != 1 {
		t.Errorf("a key that may never be used: %v", found)
	}
}

// TestRevoked holds that a revoked key opens for nobody, from nowhere.
func TestRevoked(t *testing.T) {
	key := Key{Secrets: []Secret{{Digest: digest(1)}}, Revoked: now}
	key.Allow = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	if key.Matches(digest(1), now.Add(-1)) || key.Allows(netip.MustParseAddr("192.0.2.1")) {
		t.Error("a revoked key opens")
	}
	if !(Key{Secrets: key.Secrets}).Matches(digest(1), now) || !key.Holds(digest(1)) ||
		key.Holds(digest(2)) {
		t.Error("the secret is another one")
	}
}
