package subscription

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// SecretPrefix is the prefix of webhook secrets, as defined by Standard Webhooks.
const SecretPrefix = "whsec_"

// Lengths of a secret in bytes, which follow the prefix in base64.
const leastSecret, mostSecret, newSecret = 24, 64, 32

// NewSecret returns a secret of 32 random bytes.
func NewSecret(random io.Reader) (string, error) {
	drawn := make([]byte, newSecret)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return "", fmt.Errorf("generate a secret: %w", err)
	}
	return SecretPrefix + base64.StdEncoding.EncodeToString(drawn), nil
}

// CheckSecret returns the problem of a secret without repeating the secret, or "" if it is valid.
func CheckSecret(text string) string {
	rest, ok := strings.CutPrefix(text, SecretPrefix)
	drawn, err := base64.StdEncoding.DecodeString(rest)
	if !ok || err != nil || len(drawn) < leastSecret || len(drawn) > mostSecret {
		return fmt.Sprintf("must be %s and the base64 of %d to %d bytes", SecretPrefix,
			leastSecret, mostSecret)
	}
	return ""
}
