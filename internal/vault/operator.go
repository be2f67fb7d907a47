package vault

import (
	"fmt"

	"mintmark/internal/base/secret"
)

// sealedOperator is the purpose of the encrypted secret of an operator's one-time codes.
const sealedOperator = "one-time codes of operator"

// SealOperatorSecret encrypts the secret of an operator's one-time codes. The result decrypts only
// for the same operator.
func (v *Vault) SealOperatorSecret(text secret.Text, operatorID int) ([]byte, error) {
	return v.sealing.Encrypt([]byte(text.Reveal()), binding(sealedOperator, operatorID))
}

// OpenOperatorSecret decrypts a secret that SealOperatorSecret encrypted for the operator.
func (v *Vault) OpenOperatorSecret(sealed []byte, operatorID int) (secret.Text, error) {
	text, err := v.sealing.Decrypt(sealed, binding(sealedOperator, operatorID))
	if err != nil {
		return secret.Text{}, fmt.Errorf("decrypt the one-time code secret of operator %d: %w",
			operatorID, err)
	}
	return secret.New(string(text)), nil
}
