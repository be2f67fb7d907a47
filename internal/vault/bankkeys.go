package vault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/core/cryptofmt"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// A bank's card numbers and PINs are encrypted under keys of that bank. Mintmark generates such a
// key here and stores it in the database, wrapped by the keyset of the installation: a stolen
// database decrypts nothing, and every node with the keyset can use every key. A key is named by a
// random number, which also begins each text encrypted under the key.

// KeysetKey is the key number of the keyset of the installation. It encrypts the card numbers of a
// bank without its own key.
const KeysetKey = 0

// ErrUnknownKey is returned for a text under a bank's key that the vault does not have.
var ErrUnknownKey = errors.New("it is sealed with an unknown key")

// MakeBankKey generates a key for a pciKeyId. It returns the number of the key and the wrapped key
// to store: only this installation's keyset unwraps it, and only for this pciKeyId and number.
func (v *Vault) MakeBankKey(pciKeyID int) (id int, wrapped []byte, err error) {
	for id == KeysetKey || bytes.Equal(Mark(id), v.OwnMark()) {
		id, err = v.drawKeyNumber()
		if err != nil {
			return 0, nil, fmt.Errorf("generate a bank key: %w", err)
		}
	}
	handle, err := newBankKey(uint32(id))
	if err != nil {
		return 0, nil, fmt.Errorf("generate a bank key: %w", err)
	}
	var text bytes.Buffer
	err = handle.WriteWithAssociatedData(keyset.NewBinaryWriter(&text), v.sealing,
		keyBinding(pciKeyID, id))
	if err != nil {
		return 0, nil, fmt.Errorf("wrap a bank key: %w", err)
	}
	return id, text.Bytes(), nil
}

// drawKeyNumber draws a key number from 0 to the largest 32-bit signed integer. The number is not
// secret, so a sandbox with a seed draws the same numbers.
func (v *Vault) drawKeyNumber() (int, error) {
	var drawn [4]byte
	if _, err := io.ReadFull(v.random, drawn[:]); err != nil {
		return 0, err
	}
	return int(binary.BigEndian.Uint32(drawn[:]) & math.MaxInt32), nil
}

// newBankKey generates a key of a bank.
func newBankKey(id uint32) (*keyset.Handle, error) {
	secret, err := secretdata.NewBytesFromRand(32)
	if err != nil {
		return nil, err
	}
	return newKeyset(sealingUse, secret, id)
}

// UseBankKey adds a key that MakeBankKey generated to the vault. Adding it again does nothing.
func (v *Vault) UseBankKey(id, pciKeyID int, wrapped []byte) error {
	if v.HasBankKey(id) {
		return nil
	}
	handle, err := keyset.ReadWithAssociatedData(
		keyset.NewBinaryReader(bytes.NewReader(wrapped)), v.sealing, keyBinding(pciKeyID, id))
	if err != nil {
		return fmt.Errorf("unwrap key %d of pciKeyId %d: %w", id, pciKeyID, err)
	}
	primary, err := handle.Primary()
	if err == nil && int(primary.KeyID()) != id {
		err = fmt.Errorf("its number is %d", primary.KeyID())
	}
	if err != nil {
		return fmt.Errorf("key %d of pciKeyId %d: %w", id, pciKeyID, err)
	}
	sealer, err := aead.New(handle)
	if err != nil {
		return fmt.Errorf("key %d of pciKeyId %d cannot seal: %w", id, pciKeyID, err)
	}
	v.bankKeys.Store(id, sealer)
	return nil
}

// HasBankKey reports whether the vault has a key. It always has KeysetKey.
func (v *Vault) HasBankKey(id int) bool {
	_, known := v.bankKeys.Load(id)
	return known || id == KeysetKey
}

// ForgetBankKey removes a retired key from the vault.
func (v *Vault) ForgetBankKey(id int) { v.bankKeys.Delete(id) }

// Mark returns the prefix of every text that is encrypted under a bank's key.
func Mark(id int) []byte {
	if id < 0 || id > math.MaxUint32 {
		return nil
	}
	return binary.BigEndian.AppendUint32([]byte{cryptofmt.TinkStartByte}, uint32(id))
}

// OwnMark returns the prefix of every text that is encrypted under the keyset of the installation.
func (v *Vault) OwnMark() []byte { return v.ownMark }

// KeyOf returns the number of the key that encrypts a text, or KeysetKey for a text that does not
// begin with the mark of a bank's key.
func (v *Vault) KeyOf(sealed []byte) int {
	if len(sealed) < cryptofmt.TinkPrefixSize || sealed[0] != cryptofmt.TinkStartByte ||
		bytes.HasPrefix(sealed, v.ownMark) {
		return KeysetKey
	}
	return int(binary.BigEndian.Uint32(sealed[1:]))
}

// seal encrypts a text under a bank's key, or under the keyset for KeysetKey.
func (v *Vault) seal(key int, text string, bound []byte) ([]byte, error) {
	sealer, err := v.sealer(key)
	if err != nil {
		return nil, err
	}
	return sealer.Encrypt([]byte(text), bound)
}

// unseal decrypts a text under the key whose mark it begins with.
func (v *Vault) unseal(sealed, bound []byte) ([]byte, error) {
	sealer, err := v.sealer(v.KeyOf(sealed))
	if err != nil {
		return nil, err
	}
	return sealer.Decrypt(sealed, bound)
}

func (v *Vault) sealer(key int) (tink.AEAD, error) {
	if key == KeysetKey {
		return v.sealing, nil
	}
	value, known := v.bankKeys.Load(key)
	if !known {
		return nil, fmt.Errorf("%w: %d", ErrUnknownKey, key)
	}
	return value.(tink.AEAD), nil
}

// ReencryptNumber encrypts the stored number of a card under another key.
func (v *Vault) ReencryptNumber(key int, sealed []byte, cardID int) ([]byte, error) {
	return v.reencrypt(key, sealed, binding(sealedNumber, cardID))
}

// ReencryptPin encrypts the stored PIN of an order for a card under another key.
func (v *Vault) ReencryptPin(key int, sealed []byte, cardID int) ([]byte, error) {
	return v.reencrypt(key, sealed, binding(sealedPin, cardID))
}

func (v *Vault) reencrypt(key int, sealed, bound []byte) ([]byte, error) {
	text, err := v.unseal(sealed, bound)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	sealer, err := v.sealer(key)
	if err != nil {
		return nil, err
	}
	return sealer.Encrypt(text, bound)
}

// keyBinding returns the associated data that binds a wrapped key to its pciKeyId and number.
// Changing it makes every key unreadable.
func keyBinding(pciKeyID, id int) []byte {
	return fmt.Appendf(nil, "bank key %d of pciKeyId %d", id, pciKeyID)
}
