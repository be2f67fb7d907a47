package subscription

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// SecretPrefix is what the secrets of webhooks begin with, as Standard Webhooks has it.
const SecretPrefix = "whsec_"

// The bytes of a secret, which follow the prefix in base64.
const leastSecret, mostSecret, newSecret = 24, 64, 32

// NewSecret draws 32 random bytes and writes them as a secret is written.
func NewSecret(random io.Reader) (string, error) {
	drawn := make([]byte, newSecret)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return "", fmt.Errorf("draw a secret: %w", err)
	}
	return SecretPrefix + base64.StdEncoding.EncodeToString(drawn), nil
}

// CheckSecret says what is wrong with a secret, without repeating it; it is empty for a good one.
func CheckSecret(text string) string {
	rest, ok := strings.CutPrefix(text, SecretPrefix)
	drawn, err := base64.StdEncoding.DecodeString(rest)
	if !ok || err != nil || len(drawn) < leastSecret || len(drawn) > mostSecret {
		return fmt.Sprintf("must be %s and the base64 of %d to %d bytes", SecretPrefix,
			leastSecret, mostSecret)
	}
	return ""
}
