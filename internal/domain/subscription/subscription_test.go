package subscription

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/event"
)

// TestClosedAddresses has an example for each row of the table, and for the neighbouring addresses.
func TestClosedAddresses(t *testing.T) {
	examples := map[string]string{
		"0.0.0.0/8": "0.1.2.3", "10.0.0.0/8": "10.255.0.1", "100.64.0.0/10": "100.127.255.255",
		"127.0.0.0/8": "127.8.8.8", "169.254.0.0/16": "169.254.169.254",
		"172.16.0.0/12": "172.31.0.9", "192.0.0.0/24": "192.0.0.170", "192.0.2.0/24": "192.0.2.1",
		"192.88.99.0/24": "192.88.99.1", "192.168.0.0/16": "192.168.1.1",
		"198.18.0.0/15": "198.19.255.255", "198.51.100.0/24": "198.51.100.7",
		"203.0.113.0/24": "203.0.113.9", "224.0.0.0/4": "239.1.1.1",
		"240.0.0.0/4": "255.255.255.255",
		"::1/128":     "::1", "::/96": "::7f00:1", "::ffff:0:0:0/96": "::ffff:0:10.0.0.1",
		"64:ff9b::/96": "64:ff9b::10.0.0.1", "64:ff9b:1::/48": "64:ff9b:1::a00:1",
		"100::/64": "100::1", "2001::/32": "2001:0:4136:e378:8000:63bf:3fff:fdd2",
		"2001::/23": "2001:20::1", "2001:db8::/32": "2001:db8::1", "2002::/16": "2002:a00:1::1",
		"3fff::/20": "3fff::1", "5f00::/16": "5f00::1", "fc00::/7": "fd12:3456::1",
		"fe80::/10": "fe80::1", "fec0::/10": "fec0::1", "ff00::/8": "ff02::1",
	}
	production, sandbox := Reach{}, Reach{Sandbox: true}
	allowing := Reach{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, row := range closed {
		example, there := examples[row.prefix]
		if !there {
			t.Errorf("%s has no example", row.prefix)
			continue
		}
		address := netip.MustParseAddr(example)
		if !netip.MustParsePrefix(row.prefix).Contains(address) {
			t.Errorf("%s is no example of %s", example, row.prefix)
		}
		if got := production.CheckAddress(address); !strings.Contains(got, row.what) {
			t.Errorf("%s: %q, want %s", example, got, row.what)
		}
		if got := sandbox.CheckAddress(address); got != "" {
			t.Errorf("%s in the sandbox: %s", example, got)
		}
		open := allowing.CheckAddress(address) == ""
		if open != (row.prefix == "10.0.0.0/8") {
			t.Errorf("%s where 10.0.0.0/8 is allowed: open is %v", example, open)
		}
		if address.Is4() {
			mapped := netip.AddrFrom16(address.As16())
			if production.CheckAddress(mapped) == "" {
				t.Errorf("%s is open", mapped)
			}
		}
	}
	for _, closed := range []string{"::", "fe80::1%eth0", "2a00:1450::1%eth0", "::ffff:10.0.0.1"} {
		if production.CheckAddress(netip.MustParseAddr(closed)) == "" {
			t.Errorf("%s is open", closed)
		}
	}
	for _, open := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.1",
		"172.15.0.1", "172.32.0.1", "192.0.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255",
		"2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "::ffff:1.1.1.1",
	} {
		if got := production.CheckAddress(netip.MustParseAddr(open)); got != "" {
			t.Errorf("%s: %s", open, got)
		}
	}
}

func TestURLs(t *testing.T) {
	for _, test := range []struct {
		url                           string
		production, allowing, sandbox bool
		reason                        string // in production
	}{
		{"https://example.com/hooks?a=b", true, true, true, ""},
		{"http://example.com/", false, false, true, "https://"},
		{"http://127.0.0.1:9000/", false, true, true, "loopback; webhooks.allow"},
		{"http://localhost:9000", false, true, true, "loopback; webhooks.allow"},
		{"https://LOCALHOST", false, true, true, "loopback; webhooks.allow"},
		{"http://[::1]:9000", false, false, true, "loopback; webhooks.allow"},
		{"http://localhost.example.com", false, false, true, "https://"},
		{"https://10.0.0.1/", false, true, true, "private; webhooks.allow"},
		{"http://10.0.0.1/", false, true, true, "https://"},
		{"http://[::ffff:10.0.0.1]/", false, true, true, "https://"},
		{"http://10.1.0.1/", false, false, true, "https://"},
		{"http://1.1.1.1/", false, false, true, "https://"},
		{"https://10.1.0.1/", false, false, true, "private; webhooks.allow"},
		{"https://[::ffff:10.0.0.1]/", false, true, true, "private; webhooks.allow"},
		{"https://[fd00::1]/", false, false, true, "private; webhooks.allow"},
		{"https://user:secret@example.com", false, false, false, "no user"},
		{"https://example.com/#part", false, false, false, "no #"},
		{"ftp://example.com", false, false, false, "https://"},
		{"example.com/hooks", false, false, false, "an address"},
		{"https://", false, false, false, "an address"},
		{"https://:80", false, false, false, "an address"},
		{"mailto:a@example.com", false, false, false, "an address"},
		{"https://exa mple.com", false, false, false, "an address"},
		{"", false, false, false, "an address"},
	} {
		got := Reach{}.CheckURL(test.url)
		if (got == "") != test.production || !strings.Contains(got, test.reason) {
			t.Errorf("%s in production: %q", test.url, got)
		}
		got = Reach{Sandbox: true}.CheckURL(test.url)
		if (got == "") != test.sandbox {
			t.Errorf("%s in the sandbox: %q", test.url, got)
		}
		got = Reach{Allow: []netip.Prefix{
			netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/16"),
		}}.CheckURL(test.url)
		if (got == "") != test.allowing {
			t.Errorf("%s where some are allowed: %q", test.url, got)
		}
	}
}

// TestPlan checks the retry plan of the interface, and when a delivery is dead.
func TestPlan(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	want := []string{
		"5s", "5m0s", "30m0s", "2h0m0s", "5h0m0s", "10h0m0s", "14h0m0s", "20h0m0s", "24h0m0s",
	}
	d := Delivery{State: Waiting}
	for _, wait := range want {
		d = d.Fail(now, "no", 0, 0)
		if got := d.Next.Sub(now).String(); got != wait || d.State != Waiting {
			t.Errorf("try %d: %s after %s, want %s", d.Tries, d.State, got, wait)
		}
	}
	d = d.Fail(now, "no", time.Hour, 0)
	if d.State != Dead || !d.Next.IsZero() || d.Tries != len(RetryWaits)+1 {
		t.Errorf("at the end: %+v", d)
	}
	d = d.Resend(now)
	if d.State != Waiting || !d.Next.Equal(now) || d.Tries != 0 {
		t.Errorf("resent: %+v", d)
	}
}

// TestDelay checks that an attempt is never earlier than planned, and how much later it may be.
func TestDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tries := rapid.IntRange(1, len(RetryWaits)).Draw(t, "tries")
		wait := time.Duration(rapid.Int64Range(-1e18, 1e18).Draw(t, "asked"))
		random := rapid.Float64Range(0, 1).Draw(t, "random")
		delay, again := Delay(tries, wait, random)
		planned := RetryWaits[tries-1]
		most := max(planned+planned/10, min(wait, 2*planned))
		if !again || delay < planned || delay > most || delay < min(wait, 2*planned) {
			t.Errorf("after %d tries, asked for %s: %s", tries, wait, delay)
		}
	})
}

func TestSecrets(t *testing.T) {
	drawn, err := NewSecret(bytes.NewReader(make([]byte, 40)))
	if err != nil || CheckSecret(drawn) != "" {
		t.Errorf("%q, %v", drawn, err)
	}
	if _, err := NewSecret(bytes.NewReader(nil)); err == nil {
		t.Error("a secret was drawn from nothing")
	}
	for _, bad := range []string{
		"", "whsec_", "secret", "whsec_AAAA", strings.TrimPrefix(drawn, SecretPrefix),
		"whsec_" + strings.Repeat("AAAA", 22), drawn + "!",
	} {
		if CheckSecret(bad) == "" {
			t.Errorf("%q is taken for a secret", bad)
		}
	}
}

// TestEarlierTypes checks that an event is matched with the types subscribed when it happened.
func TestEarlierTypes(t *testing.T) {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	w := Webhook{Types: event.Filter{"card.locked"}}
	w.ChangeTypes(event.Filter{"card.locked"}, 5, at)
	if len(w.Earlier) != 0 {
		t.Errorf("the same types leave %+v", w.Earlier)
	}
	w.ChangeTypes(event.Filter{"card.unlocked"}, 10, at)
	w.ChangeTypes(nil, 20, at.Add(time.Hour))
	for _, row := range []struct {
		sequence int
		after    time.Duration
		kind     event.Type
		want     bool
	}{
		{10, 0, event.CardLocked, true}, {10, 0, event.CardUnlocked, false},
		{11, -1, event.CardLocked, true}, // not sealed at the time of the change
		{11, 0, event.CardLocked, false}, {11, 0, event.CardUnlocked, true},
		{20, 2 * time.Hour, event.CardLocked, false}, {21, time.Minute, event.CardLocked, false},
		{21, time.Hour, event.CardLocked, true}, {21, time.Hour, event.KeyIssued, true},
	} {
		e := event.Event{Sequence: row.sequence, Type: row.kind, At: at.Add(row.after)}
		if got := w.Wants(e); got != row.want {
			t.Errorf("%+v is wanted: %v", row, got)
		}
	}
	for i := range 2 * MaxEarlier {
		w.ChangeTypes(event.Filter{"card.*", "key.*"}[i%2:i%2+1], 30, at)
	}
	if len(w.Earlier) != MaxEarlier {
		t.Errorf("%d changes are kept", len(w.Earlier))
	}
}

func TestRules(t *testing.T) {
	good := Webhook{
		ProgramID: 1, Name: "a", URL: "https://example.com", Types: []string{"card.*"},
		Secrets: [][]byte{{1}},
	}
	if problems := problem.Check(good); len(problems) > 0 {
		t.Errorf("a good one: %v", problems)
	}
	bad := Webhook{
		URL: strings.Repeat("x", MaxURL+1), Types: []string{"card.*", "cards"},
		Secrets: make([][]byte, 3),
	}
	if problems := problem.Check(bad); len(problems) != 5 {
		t.Errorf("%v", problems)
	}
}

func TestIncludes(t *testing.T) {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		replay Replay
		want   bool
	}{
		{Replay{}, true},
		{Replay{From: at, To: at.Add(1)}, true},
		{Replay{From: at, To: at}, false},
		{Replay{From: at.Add(1), To: at.Add(2)}, false},
		{Replay{From: at}, true},
		{Replay{Types: event.Filter{"card.*"}}, true},
		{Replay{Types: event.Filter{"key.*"}}, false},
	} {
		if got := test.replay.Includes(event.CardLocked, at); got != test.want {
			t.Errorf("%+v includes it: %v", test.replay, got)
		}
	}
}
