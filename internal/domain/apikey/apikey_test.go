package apikey

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

var now = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

func TestAllows(t *testing.T) {
	key := Key{Allow: []netip.Prefix{
		netip.MustParsePrefix("192.0.2.0/24"),
		netip.MustParsePrefix("198.51.100.7/32"),
		netip.MustParsePrefix("2001:db8:1::/48"),
		netip.MustParsePrefix("fe80::/10"),
		netip.MustParsePrefix("::ffff:203.0.113.0/120"),
	}}
	for address, want := range map[string]bool{
		"192.0.2.0":          true,
		"192.0.2.255":        true,
		"192.0.3.0":          false,
		"198.51.100.7":       true,
		"198.51.100.8":       false,
		"::ffff:192.0.2.9":   true,
		"::ffff:192.0.3.9":   false,
		"::ffff:203.0.113.5": true,
		"::192.0.2.9":        false,
		"2001:db8:1::1":      true,
		"2001:db8:1:ffff::":  true,
		"2001:db8:2::1":      false,
		"fe80::1%eth0":       true,
		"fec0::1%eth0":       false,
	} {
		if got := key.Allows(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is allowed: %v", address, got)
		}
	}
	if key.Allows(netip.Addr{}) {
		t.Error("no address at all is allowed")
	}
	if (Key{}).Allows(netip.MustParseAddr("192.0.2.1")) {
		t.Error("a key without a list allows an address")
	}
}

func digest(fill byte) []byte { return bytes.Repeat([]byte{fill}, 32) }

func TestMatches(t *testing.T) {
	older := Secret{Digest: digest(1), Expires: now.Add(time.Hour)}
	newer := Secret{Digest: digest(2)}
	expired := Secret{Digest: digest(3), Expires: now}
	for name, test := range map[string]struct {
		secrets   []Secret
		presented []byte
		want      bool
	}{
		"the only secret":           {[]Secret{newer}, digest(2), true},
		"the first of two":          {[]Secret{older, newer}, digest(1), true},
		"the second of two":         {[]Secret{older, newer}, digest(2), true},
		"both alike":                {[]Secret{newer, newer}, digest(2), true},
		"another":                   {[]Secret{older, newer}, digest(3), false},
		"expired this moment":       {[]Secret{expired}, digest(3), false},
		"expired beside a live one": {[]Secret{newer, expired}, digest(3), false},
		"live beside an expired":    {[]Secret{expired, newer}, digest(2), true},
		"too short":                 {[]Secret{newer}, digest(2)[:31], false},
		"nothing":                   {[]Secret{newer}, nil, false},
		"no secret":                 {nil, digest(0), false},
		"what stands in for none":   {[]Secret{newer}, digest(0), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Key{Secrets: test.secrets}).Matches(test.presented, now); got != test.want {
				t.Errorf("the key matches: %v", got)
			}
		})
	}
}

// TestSecretsExpire checks until when a secret is valid.
func TestSecretsExpire(t *testing.T) {
	key := Key{Secrets: []Secret{{Digest: digest(1), Expires: now}}}
	if !key.Matches(digest(1), now.Add(-time.Nanosecond)) {
		t.Error("the secret does not match before it expires")
	}
	if key.Matches(digest(1), now) {
		t.Error("the secret matches when it has expired")
	}
}

func TestKeepsTo(t *testing.T) {
	if (Key{}).HasCompatibility(EarlierClients) {
		t.Error("a key keeps to a habit that it has not asked for")
	}
	if !(Key{Compatibility: Compatibilities}).HasCompatibility(EarlierClients) {
		t.Error("a key does not keep to what it has asked for")
	}
}

// TestRevoked checks that a revoked key admits no caller, from any address.
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
