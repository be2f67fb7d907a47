package vault

import (
	"crypto/hkdf"
	"crypto/sha256"
	"io"
	"strings"

	"filippo.io/age"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"mintmark/internal/base/agefile"
)

// recipientUse derives the key to which files are encrypted. Like the keys of the sealed log, it
// belongs to the database as long as the keyset does, and there is no additional file to lose.
const recipientUse = "mintmark files: age, X25519"

// newIdentity derives the key that decrypts files.
func newIdentity(handle *keyset.Handle) (*age.X25519Identity, error) {
	secret, err := secretOf(handle)
	if err != nil {
		return nil, err
	}
	scalar, err := hkdf.Key(sha256.New, secret, nil, recipientUse, 32)
	if err != nil {
		return nil, err
	}
	return age.ParseX25519Identity(strings.ToUpper(bech32("age-secret-key-", scalar)))
}

// Recipient returns the recipient to which files are encrypted, in the form of age: age1 and the
// public key.
func (v *Vault) Recipient() string { return v.identity.Recipient().String() }

// OpenFile returns the decrypted content of an encrypted file, and any other file unchanged.
func (v *Vault) OpenFile(from io.Reader) (io.Reader, error) {
	return agefile.Open(from, v.identity)
}

// bech32 encodes a key as age reads it (BIP 173): five bits per letter, and six letters of
// checksum.
func bech32(name string, key []byte) string {
	const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	var groups []byte
	bits, held := 0, 0
	for _, b := range key {
		bits, held = bits<<8|int(b), held+8
		for ; held >= 5; held -= 5 {
			groups = append(groups, byte(bits>>(held-5)&31))
		}
		bits &= 1<<held - 1
	}
	if held > 0 {
		groups = append(groups, byte(bits<<(5-held)&31))
	}
	var checked []byte
	for i := range len(name) {
		checked = append(checked, name[i]>>5)
	}
	checked = append(checked, 0)
	for i := range len(name) {
		checked = append(checked, name[i]&31)
	}
	sum := bech32Sum(append(append(checked, groups...), make([]byte, 6)...)) ^ 1
	for i := range 6 {
		groups = append(groups, byte(sum>>(5*(5-i))&31))
	}
	text := []byte(name + "1")
	for _, group := range groups {
		text = append(text, letters[group])
	}
	return string(text)
}

func bech32Sum(groups []byte) uint32 {
	sum := uint32(1)
	for _, group := range groups {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(group)
		for i, generator := range []uint32{
			0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3,
		} {
			if top>>i&1 == 1 {
				sum ^= generator
			}
		}
	}
	return sum
}
