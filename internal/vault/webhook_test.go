package vault

import (
	"bytes"
	"testing"

	"mintmark/internal/base/secret"
)

// TestSealedWebhookSecretOpensForItsProgramOnly checks that an encrypted secret does not show the
// plain one, and cannot be decrypted for another program.
func TestSealedWebhookSecretOpensForItsProgramOnly(t *testing.T) {
	v := open(t, Settings{})
	text := secret.New("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	sealed, err := v.SealWebhookSecret(text, 1)
	if err != nil || bytes.Contains(sealed, []byte("MfKQ")) {
		t.Fatalf("sealed as %q, %v", sealed, err)
	}
	got, err := v.OpenWebhookSecret(sealed, 1)
	if err != nil || got != text {
		t.Errorf("opened as %q, %v", got.Reveal(), err)
	}
	for what, open := range map[string]func() error{
		"another program": func() error { _, err := v.OpenWebhookSecret(sealed, 2); return err },
		"a PIN":           func() error { _, err := v.OpenSealedPin(sealed, 1); return err },
		"a number":        func() error { _, err := v.OpenNumber(sealed, 1); return err },
	} {
		if open() == nil {
			t.Errorf("it opens for %s", what)
		}
	}
}
