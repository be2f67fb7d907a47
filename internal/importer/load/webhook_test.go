package load

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

// Secrets of webhooks, and parts of them that must not appear anywhere.
const (
	hookSecret  = "whsec_Q0FOQVJZQ0FOQVJZQ0FOQVJZQ0FOQVJZ"
	otherSecret = "whsec_U0VDT05EU0VDT05EU0VDT05EU0VDT05E"
)

// hooks returns a program with a list of webhooks.
func hooks(list string) string { return "programs: [{programId: 1, webhooks: [" + list + "]}]" }

func (b *bench) webhooks(t *testing.T) []subscription.Webhook {
	t.Helper()
	var webhooks []subscription.Webhook
	b.view(t, func(r store.Tx) error {
		var err error
		webhooks, err = r.Webhooks().List(1)
		return err
	})
	return webhooks
}

// TestWebhooks checks the stored webhooks of loaded files, and that no secret is printed.
func TestWebhooks(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	hook := func(rest string) string {
		return hooks("{name: a, url: 'https://example.com/?token=canary', " + rest + "}")
	}
	secrets, both := "secrets: ["+hookSecret+"]", "secrets: ["+otherSecret+", "+hookSecret+"]"
	for _, c := range []struct{ text, want string }{
		{hook(secrets), "webhooks 1/a: added"},
		{hook(secrets), ""},
		{hook("paused: true"), "webhooks 1/a: paused: false → true"},
		{hook("types: [card.*]"), `webhooks 1/a: types: [] → ["card.*"]`},
		{hook(both), "webhooks 1/a: secrets changed"},
		{hook(both + ", paused: false, types: []"),
			"webhooks 1/a: paused: true → false\nwebhooks 1/a: types: [\"card.*\"] → []"},
		{hooks("{url: 'https://example.com/b?token=canary', " + secrets + "}"),
			"webhooks 1/https://example.com/b?***: added"},
		{"programs: [{programId: 1, webhooks: []}]", ""},
	} {
		told := b.dryRunLines(t, c.text, Options{Insecure: true})
		if diff := cmp.Diff(sorted(c.want), sorted(told)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
	webhooks := b.webhooks(t)
	if len(webhooks) != 2 || len(webhooks[0].Secrets) != 2 || webhooks[0].Created.IsZero() ||
		len(webhooks[0].Earlier) != 2 {
		t.Fatalf("stored are %+v", webhooks)
	}
	for i, want := range []string{otherSecret, hookSecret} {
		got, err := b.vault.OpenWebhookSecret(webhooks[0].Secrets[i], 1)
		if err != nil || got.Reveal() != want {
			t.Errorf("secret %d is another one: %v", i, err)
		}
	}
	told := fmt.Sprint(b.entries(t))
	for _, canary := range []string{"canary", "Q0FOQVJZ", "U0VDT05E"} {
		if strings.Contains(told, canary) {
			t.Errorf("the audit holds %s", canary)
		}
	}
	if !strings.Contains(told, "webhook 1/a") || !strings.Contains(told, "secrets changed") {
		t.Errorf("the audit tells too little: %s", told)
	}
}

// TestWebhookMistakes checks which webhooks are rejected, and that no message contains a secret.
func TestWebhookMistakes(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	const fine = ", secrets: [" + hookSecret + "]}"
	for _, c := range []struct{ list, want string }{
		{"{url: 'http://example.com'" + fine, "url: must begin with https://"},
		{"{url: example.com" + fine, "url: must be an address such as"},
		{"{url: 'https://10.0.0.1'" + fine,
			"url: 10.0.0.1 is not open to webhooks: private; webhooks.allow in the settings"},
		{"{url: 'https://a:canary@example.com'" + fine, "url: must hold no user"},
		{"{name: a" + fine, "url: a value is required"},
		{"{url: 'https://example.com'}", "secrets: a value is required"},
		{"{url: 'https://example.com', secrets: []}", "secrets: must have 1 to 2 entries"},
		{"{url: 'https://example.com', secrets: [canary]}", "secrets[0]: must be whsec_"},
		{"{url: 'https://example.com', secrets: [" + hookSecret + ", " + otherSecret + ", " +
			hookSecret + "]}", "secrets: must have 1 to 2 entries"},
		{"{url: 'https://example.com', types: [cards]" + fine, `types: "cards" is neither a type`},
		{"{url: 'https://example.com', programId: 2" + fine, "programId: is not that of"},
		{"{url: 'https://example.com', canary: 1" + fine, "canary: is unknown"},
		{"{url: 'https://a.example'" + fine + ", {url: 'https://a.example'" + fine,
			"name: is the same as in"},
		{"{name: a, url: 'https://a.example'" + fine + ", {name: a, url: 'https://b.example'" +
			fine, "name: is the same as in"},
	} {
		_, err := b.loadWith(t, hooks(c.list), Options{Insecure: true})
		var wrong *Problems
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.list, err, c.want)
			continue
		}
		text := strings.ReplaceAll(err.Error(), "canary: is unknown", "")
		if strings.Contains(text, "canary") || strings.Contains(text, "Q0FO") {
			t.Errorf("%s: the text repeats a secret: %s", c.list, text)
		}
	}
	if webhooks := b.webhooks(t); len(webhooks) > 0 {
		t.Errorf("stored are %+v", webhooks)
	}
}

// TestWebhookAddresses checks that a load accepts a private address where the settings allow it,
// and any address, over plain HTTP, in the sandbox.
func TestWebhookAddresses(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	list := hooks("{url: 'https://10.0.0.1/', secrets: [" + hookSecret + "]}")
	allow := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
	if _, err := b.loadWith(t, list, Options{Insecure: true, WebhooksAllow: allow}); err != nil {
		t.Error(err)
	}
	list = hooks("{url: 'http://10.0.0.1/', secrets: [" + hookSecret + "]}")
	if _, err := b.loadWith(t, list, Options{Sandbox: true}); err != nil {
		t.Errorf("in the sandbox: %v", err)
	}
}
