package vault

import (
	"crypto/rand"
	"encoding/base64"

	"mintmark/internal/secret"
)

// secretLength is the number of random bytes in an API secret: 256 bits.
const secretLength = 32

// Secret is an API secret. It is shown once, to the one it is made for; after that only its digest
// is kept. Every printed form of it is three asterisks; only Reveal shows it.
type Secret struct{ secret.Text }

// NewSecret returns a random secret. Revealed it is 43 letters, digits, hyphens and underscores,
// none of which means anything to a shell, a URL or the Authorization header.
func NewSecret() Secret {
	random := make([]byte, secretLength)
	_, _ = rand.Read(random) // never fails
	return Secret{secret.New(base64.RawURLEncoding.EncodeToString(random))}
}
