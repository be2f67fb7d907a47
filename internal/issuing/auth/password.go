package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/pquerna/otp/hotp"

	"mintmark/internal/base/secret"
)

// hashing holds the parameters of password hashes: argon2id with 19 MiB and two passes, as OWASP
// recommends for sign-ins. A hash names its parameters, so new passwords can use others.
var hashing = argon2id.Params{
	Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
}

// quickHashing is for the passwords of a sandbox, which are public.
var quickHashing = argon2id.Params{
	Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32,
}

// decoyHash is compared with if there is no password. It has the parameters of a real hash.
const decoyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA" +
	"$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// HashPassword returns the hash under which a password is stored. That of a sandbox is quick.
func HashPassword(password secret.Text, sandbox bool) (string, error) {
	params := &hashing
	if sandbox {
		params = &quickHashing
	}
	return argon2id.CreateHash(password.Reveal(), params)
}

// checkPassword compares a password with a hash, which is empty if there is no password. A hash
// takes much memory, so places limits the number that are computed at a time.
func checkPassword(
	ctx context.Context, places chan struct{}, hash string, password secret.Text,
) (bool, error) {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	known := hash != ""
	if !known {
		hash = decoyHash
	}
	matches, err := argon2id.ComparePasswordAndHash(password.Reveal(), hash)
	return matches && known, err
}

// Parameters of one-time codes that every authenticator app supports (RFC 6238): six digits, SHA-1,
// a new code every 30 seconds.
const (
	codeSeconds = 30
	secretBytes = 20
)

// checkCode returns the time step of a one-time code: the current one, the one before or the one
// after. A code of the last used step, or of an older one, does not match; a used step in the
// future is ignored.
func checkCode(
	shared secret.Text, code string, used int64, now time.Time,
) (step int64, matches bool) {
	current := now.Unix() / codeSeconds
	if used > current+1 {
		used = 0 // the clock has been set back since the code was used
	}
	for at := current - 1; at <= current+1; at++ {
		want, err := hotp.GenerateCode(shared.Reveal(), uint64(at))
		same := err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1
		if same && at > used {
			return at, true
		}
	}
	return 0, false
}

// NewCodeSecret generates a secret for one-time codes, in base32.
func NewCodeSecret(random io.Reader) (secret.Text, error) {
	drawn, err := draw(random, secretBytes)
	return secret.New(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(drawn)), err
}

// codeAddress returns the address that an authenticator app reads from a QR code.
func codeAddress(issuer, name string, shared secret.Text) secret.Text {
	query := url.Values{"secret": {shared.Reveal()}, "issuer": {issuer}}
	return secret.New((&url.URL{
		Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + name,
		RawQuery: query.Encode(),
	}).String())
}

const textBytes = 32 // of a token or a link

// NewText generates a text from 256 random bits, for a token or a link.
func NewText(random io.Reader, prefix string) (secret.Text, error) {
	drawn, err := draw(random, textBytes)
	return secret.New(prefix + base64.RawURLEncoding.EncodeToString(drawn)), err
}

func draw(random io.Reader, count int) ([]byte, error) {
	drawn := make([]byte, count)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return nil, fmt.Errorf("generate a secret: %w", err)
	}
	return drawn, nil
}
