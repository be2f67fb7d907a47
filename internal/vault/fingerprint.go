package vault

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
)

// Fingerprints identify keys without revealing anything about them. They are hexadecimal.
type Fingerprints struct {
	Keyset string // of the keys that encrypt and digest
	PinKey string // of the published public key that encrypts PINs
}

// Fingerprints returns the fingerprints of the vault's keys.
func (v *Vault) Fingerprints() Fingerprints {
	return Fingerprints{Keyset: v.keyset, PinKey: v.pins[0].id}
}

// fingerprintBytes is the number of bytes of a SHA-256 in a fingerprint.
const fingerprintBytes = 16

// fingerprintOfKey returns the fingerprint of a public key.
func fingerprintOfKey(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:fingerprintBytes])
}

// fingerprint returns a digest over all keys, ordered by use: the number and status of each key,
// whether it is the primary key, and a digest computed with it.
func (k keysets) fingerprint() (string, error) {
	whole := sha256.New()
	for _, use := range slices.Sorted(maps.Keys(k)) {
		for i := range k[use].Len() {
			entry, err := k[use].Entry(i)
			if err != nil {
				return "", err
			}
			digest, err := digestOf(entry)
			if err != nil {
				return "", fmt.Errorf("the keyset %q: %w", use, err)
			}
			fmt.Fprintf(whole, "%s %d %v %t %x\n", use, entry.KeyID(), entry.KeyStatus(),
				entry.IsPrimary(), digest)
		}
	}
	return hex.EncodeToString(whole.Sum(nil)[:fingerprintBytes]), nil
}

// digestOf digests a constant with a key. The constant is used for nothing else, so its digest
// reveals nothing about encrypted or digested texts.
func digestOf(entry *keyset.Entry) ([]byte, error) {
	key, fits := entry.Key().(interface{ KeyBytes() secretdata.Bytes })
	if !fits {
		return nil, fmt.Errorf("a key of type %T has no fingerprint", entry.Key())
	}
	secret := key.KeyBytes().Data(insecuresecretdataaccess.Token{})
	digest := hmac.New(sha256.New, bytes.Clone(secret))
	digest.Write([]byte("mintmark keyset fingerprint")) // never fails
	return digest.Sum(nil), nil
}
