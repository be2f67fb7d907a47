package client

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
)

// minKeyBits is the minimum length of an RSA key for PINs.
const minKeyBits = 2048

// EncryptPin encrypts a PIN for a newPin member: with RSA-OAEP, SHA-256 also for MGF1
// (RSA-OAEP-SHA256-MGF1), and base64. The program's PublicKeyAlgorithms must include that
// algorithm. The PIN is four digits; the service decides which PINs it accepts. Errors never
// contain the PIN.
func EncryptPin(pub *rsa.PublicKey, pin string) (string, error) {
	if pub == nil {
		return "", errors.New("mintmark: no public key to encrypt the PIN with")
	}
	if !isPin(pin) {
		return "", errors.New("mintmark: a PIN is four digits from 0 to 9")
	}
	sealed, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, pub, []byte(pin), nil)
	if err != nil {
		return "", fmt.Errorf("mintmark: encrypting the PIN: %w", err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

// ParsePublicKey parses the PEM text of the service's public key, as "mintmark pin-key" prints it.
// It ignores text before the PEM block.
func ParsePublicKey(text []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("mintmark: the public key is not a PEM block of type PUBLIC KEY")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("mintmark: the public key: %w", err)
	}
	pub, isRSA := parsed.(*rsa.PublicKey)
	if !isRSA {
		return nil, fmt.Errorf("mintmark: the public key is of type %T, not RSA", parsed)
	}
	if pub.N.BitLen() < minKeyBits {
		return nil, fmt.Errorf("mintmark: the public key has %d bits, %d are needed",
			pub.N.BitLen(), minKeyBits)
	}
	return pub, nil
}

func isPin(text string) bool {
	if len(text) != 4 {
		return false
	}
	for _, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return true
}
