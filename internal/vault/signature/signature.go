// Package signature signs and verifies messages according to Standard Webhooks: an identifier, a
// timestamp and one signature per secret in the headers. Orders to the card processor, its reports
// and webhooks share it. The content of a message belongs to its sender.
package signature

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/base/secret"
)

// The headers of a signed message, as http.Header spells them.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Tolerance is the maximum difference between a timestamp and the receiver's time.
const Tolerance = 5 * time.Minute

// The lengths of a secret in bytes that Standard Webhooks requires.
const (
	MinSecretBytes = 24
	MaxSecretBytes = 64
)

// ErrRefused is returned when none of the secrets signed the message, or its timestamp is out of
// tolerance. It says no more, so that a sender cannot learn anything by trying.
var ErrRefused = errors.New("the signature is not valid")

const prefix = "whsec_"

// Secret signs messages. Its text is whsec_ and the base64 of its bytes.
type Secret struct{ secret.Text }

// ParseSecret parses a secret. Its errors quote nothing from the text.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return Secret{}, errors.New("a secret begins with " + prefix)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		return Secret{}, errors.New("a secret is " + prefix + " and base64")
	}
	if len(key) < MinSecretBytes || len(key) > MaxSecretBytes {
		return Secret{}, fmt.Errorf("a secret has %d to %d bytes, not %d",
			MinSecretBytes, MaxSecretBytes, len(key))
	}
	return Secret{secret.New(text)}, nil
}

// NewSecret creates a secret from random bytes.
func NewSecret(key []byte) (Secret, error) {
	return ParseSecret(prefix + base64.StdEncoding.EncodeToString(key))
}

// Headers returns the headers of a message: one signature per secret, so that during a rotation the
// receiver may have any of the secrets.
func Headers(secrets []Secret, id string, at time.Time, body []byte) (map[string]string, error) {
	if len(secrets) == 0 {
		return nil, errors.New("no secret to sign with")
	}
	signatures := make([]string, len(secrets))
	for i, s := range secrets {
		signer, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			return nil, errors.New("a secret cannot be used to sign")
		}
		signatures[i], err = signer.Sign(id, at, body)
		if err != nil {
			return nil, fmt.Errorf("sign a message: %w", err)
		}
	}
	return map[string]string{
		HeaderID:        id,
		HeaderTimestamp: strconv.FormatInt(at.Unix(), 10),
		HeaderSignature: strings.Join(signatures, " "),
	}, nil
}

// Verify returns ErrRefused unless one of the secrets signed the message within Tolerance of now.
// header is an http.Header.
func Verify(secrets []Secret, header map[string][]string, body []byte, now time.Time) error {
	stamps := header[HeaderTimestamp]
	if len(stamps) != 1 || len(header[HeaderID]) != 1 || len(header[HeaderSignature]) != 1 {
		return ErrRefused
	}
	seconds, err := strconv.ParseInt(stamps[0], 10, 64)
	if err != nil {
		return ErrRefused
	}
	at := time.Unix(seconds, 0)
	if now.Sub(at) > Tolerance || at.Sub(now) > Tolerance {
		return ErrRefused
	}
	for _, s := range secrets {
		verifier, err := standardwebhooks.NewWebhook(s.Reveal())
		if err == nil && verifier.VerifyIgnoringTimestamp(body, header) == nil {
			return nil
		}
	}
	return ErrRefused
}
