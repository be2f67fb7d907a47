package vault

import (
	"fmt"

	"mintmark/internal/base/secret"
)

// sealedWebhook is the purpose of the encrypted secret of a webhook.
const sealedWebhook = "webhook secret of program"

// SealWebhookSecret encrypts a secret that signs the messages to a program's webhook. The result
// decrypts only for the same program.
func (v *Vault) SealWebhookSecret(text secret.Text, programID int) ([]byte, error) {
	return v.sealing.Encrypt([]byte(text.Reveal()), binding(sealedWebhook, programID))
}

// OpenWebhookSecret decrypts a secret that SealWebhookSecret encrypted for the program.
func (v *Vault) OpenWebhookSecret(sealed []byte, programID int) (secret.Text, error) {
	text, err := v.sealing.Decrypt(sealed, binding(sealedWebhook, programID))
	if err != nil {
		return secret.Text{}, fmt.Errorf("decrypt a webhook secret of program %d: %w",
			programID, err)
	}
	return secret.New(string(text)), nil
}
