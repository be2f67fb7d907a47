package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
)

// sealedPersonKey is the purpose of the encrypted person key of a card.
const sealedPersonKey = "person key"

// personKeyBytes is the length of a key: AES-256.
const personKeyBytes = 32

// PersonKey encrypts the audit texts about the people of one card. It is drawn for the card and
// stored encrypted in the database: without that row nothing decrypts the texts, even with backups
// of the key files.
type PersonKey struct {
	cardID int
	aead   cipher.AEAD
	random io.Reader
}

// NewPersonKey draws a key for a card, and also returns the key encrypted. The encrypted key
// decrypts only for the same card.
func (v *Vault) NewPersonKey(cardID int) (PersonKey, []byte, error) {
	drawn := make([]byte, personKeyBytes)
	if _, err := io.ReadFull(v.random, drawn); err != nil {
		return PersonKey{}, nil, err
	}
	sealed, err := v.sealing.Encrypt(drawn, binding(sealedPersonKey, cardID))
	if err != nil {
		return PersonKey{}, nil, err
	}
	key, err := v.personKey(drawn, cardID)
	return key, sealed, err
}

// OpenPersonKey decrypts a key that NewPersonKey encrypted for the card.
func (v *Vault) OpenPersonKey(sealed []byte, cardID int) (PersonKey, error) {
	drawn, err := v.sealing.Decrypt(sealed, binding(sealedPersonKey, cardID))
	if err != nil {
		return PersonKey{}, fmt.Errorf("decrypt the key of the people of card %d: %w",
			cardID, err)
	}
	return v.personKey(drawn, cardID)
}

func (v *Vault) personKey(drawn []byte, cardID int) (PersonKey, error) {
	block, err := aes.NewCipher(drawn)
	if err != nil {
		return PersonKey{}, err
	}
	aead, err := cipher.NewGCM(block)
	return PersonKey{cardID, aead, v.random}, err
}

// Seal encrypts the text of an entry's member, as unpadded URL-safe base64.
func (k PersonKey) Seal(member, text string) (string, error) {
	nonce := make([]byte, k.aead.NonceSize(), k.aead.NonceSize()+len(text)+k.aead.Overhead())
	if _, err := io.ReadFull(k.random, nonce); err != nil {
		return "", err
	}
	sealed := k.aead.Seal(nonce, nonce, []byte(text), k.binding(member))
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// errPersonText is the error for a text that Seal did not write.
var errPersonText = errors.New("vault: personal data in the audit cannot be decrypted")

// Open decrypts a text that Seal encrypted for the member.
func (k PersonKey) Open(member, sealed string) (string, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(raw) < k.aead.NonceSize() {
		return "", errPersonText
	}
	text, err := k.aead.Open(nil, raw[:k.aead.NonceSize()], raw[k.aead.NonceSize():],
		k.binding(member))
	if err != nil {
		return "", errPersonText
	}
	return string(text), nil
}

// binding returns the associated data of a text, so that it cannot be moved to another member or
// card.
func (k PersonKey) binding(member string) []byte {
	return fmt.Appendf(nil, "audit of card %d %s", k.cardID, member)
}
