package apikey

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/problem"
)

// validKey draws a valid key.
func validKey(t *rapid.T) Key {
	k := Key{
		Name:      rapid.StringMatching(`[a-z .-]{1,50}`).Draw(t, "name"),
		ProgramID: 1,
		Version:   rapid.IntRange(OldestVersion, LatestVersion).Draw(t, "version"),
		PerSecond: rapid.SampledFrom([]float64{0, 0.5, DefaultPerSecond}).Draw(t, "rate"),
		Burst:     rapid.IntRange(1, 100).Draw(t, "burst"),
		Secrets:   []Secret{{Digest: digest(1)}, {Digest: digest(2)}},
	}
	k.Secrets = k.Secrets[:rapid.IntRange(1, MaxSecrets).Draw(t, "secrets")]
	for i := range rapid.IntRange(1, 5).Draw(t, "addresses") {
		k.Allow = append(k.Allow, netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 32))
	}
	if rapid.Bool().Draw(t, "earlier") {
		k.Compatibility = []Compatibility{EarlierClients}
	}
	return k
}

var brokenKeys = []struct {
	path   string
	change func(*Key)
}{
	{"name", func(k *Key) { k.Name = "" }},
	{"name", func(k *Key) { k.Name = strings.Repeat("é", MaxName+1) }},
	{"name", func(k *Key) { k.Name = "a:b" }},
	{"name", func(k *Key) { k.Name = "99.4111.1111.1111.1111" }},
	{"programId", func(k *Key) { k.ProgramID = 0 }},
	{"version", func(k *Key) { k.Version = LatestVersion + 1 }},
	{"secrets", func(k *Key) { k.Secrets = nil }},
	{"secrets", func(k *Key) { k.Secrets = make([]Secret, MaxSecrets+1) }},
	{"secrets", func(k *Key) { k.Secrets = []Secret{{Digest: digest(1)}, {Digest: digest(1)}} }},
	{"allow", func(k *Key) { k.Allow = nil }},
	{"allow", func(k *Key) { k.Allow = make([]netip.Prefix, 1) }},
	{"allow", func(k *Key) { k.Allow = slices.Repeat(k.Allow[:1], MaxAllow+1) }},
	{"perSecond", func(k *Key) { k.PerSecond = -1 }},
	{"perSecond", func(k *Key) { k.PerSecond = math.Inf(1) }},
	{"perSecond", func(k *Key) { k.PerSecond = math.NaN() }},
	{"burst", func(k *Key) { k.PerSecond, k.Burst = 1, 0 }},
	{"compatibility", func(k *Key) { k.Compatibility = []Compatibility{"later-clients"} }},
	{"compatibility", func(k *Key) {
		k.Compatibility = []Compatibility{EarlierClients, EarlierClients}
	}},
}

func TestValidate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := validKey(t)
		if problems := k.Validate(); problems != nil {
			t.Fatalf("%+v\n%v", k, problems)
		}
		for _, b := range brokenKeys {
			changed := k
			b.change(&changed)
			problems := changed.Validate()
			if len(problems) != 1 || problems[0].Path != b.path {
				t.Errorf("want a problem with %s, got %v", b.path, problems)
			}
		}
		k.Secrets, k.Revoked = nil, now
		if problems := k.Validate(); problems != nil {
			t.Errorf("revoked: %v", problems)
		}
	})
}

func TestRulesBesideAKey(t *testing.T) {
	for want, value := range map[string]problem.Ruled{
		`state: "gone" is not one of: active, revoked`: State("gone"),
		"secret: a value is required":                  SecretText(""),
		"secret: must have at most 255 characters":     SecretText(strings.Repeat("x", 256)),
	} {
		if got := problem.Check(value).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, good := range []problem.Ruled{
		State(""), Active, Revoked, SecretText(strings.Repeat("x", MaxSecretLength)),
	} {
		if problems := problem.Check(good); problems != nil {
			t.Errorf("%v: %v", good, problems)
		}
	}
}

func TestParseAllow(t *testing.T) {
	got := make(map[string]string)
	want := map[string]string{
		"127.0.0.1":       "127.0.0.1/32",
		"10.1.2.3/8":      "10.0.0.0/8",
		"::1":             "::1/128",
		"2001:db8::1/32":  "2001:db8::/32",
		"::ffff:10.0.0.1": "10.0.0.1/32",
		"localhost":       `"localhost" is neither an address nor a CIDR block`,
		"10.0.0.1/":       `"10.0.0.1/" is neither an address nor a CIDR block`,
		"fe80::1%lo":      `"fe80::1%lo" is neither an address nor a CIDR block`,
	}
	for text := range want {
		prefix, err := ParseAllow(text)
		got[text] = prefix.String()
		if err != nil {
			got[text] = err.Error()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
