package vault

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"

	"mintmark/internal/base/pan"
)

// Card numbers are digested under the keyset of the installation until the first rotation. Later
// keys are generated here and stored in the database like the keys of banks: wrapped by the keyset
// of the installation and named by a random number.

// MakeDigestKey generates a key that digests card numbers. It returns the number of the key and the
// wrapped key to store: only this installation's keyset unwraps it, and only under this number.
func (v *Vault) MakeDigestKey() (id int, wrapped []byte, err error) {
	for id == KeysetKey {
		if id, err = v.drawKeyNumber(); err != nil {
			return 0, nil, fmt.Errorf("generate a digest key: %w", err)
		}
	}
	secret, err := secretdata.NewBytesFromRand(32)
	if err != nil {
		return 0, nil, fmt.Errorf("generate a digest key: %w", err)
	}
	handle, err := newKeyset(numberDigestsUse, secret, uint32(id))
	if err != nil {
		return 0, nil, fmt.Errorf("generate a digest key: %w", err)
	}
	var text bytes.Buffer
	err = handle.WriteWithAssociatedData(keyset.NewBinaryWriter(&text), v.sealing,
		digestKeyBinding(id))
	if err != nil {
		return 0, nil, fmt.Errorf("wrap a digest key: %w", err)
	}
	return id, text.Bytes(), nil
}

// DigestNumberUnder returns the digest of a card number under a key that MakeDigestKey generated,
// or under KeysetKey, which has no wrapped text.
func (v *Vault) DigestNumberUnder(key int, wrapped []byte, n pan.Number) ([]byte, error) {
	if key == KeysetKey {
		return v.DigestNumber(n), nil
	}
	opened, known := v.digestKeys.Load(key)
	if !known {
		list, err := v.openDigestKey(key, wrapped)
		if err != nil {
			return nil, fmt.Errorf("unwrap the digest key %d: %w", key, err)
		}
		opened, _ = v.digestKeys.LoadOrStore(key, list)
	}
	return opened.(*digests).of(n.Reveal()), nil
}

func (v *Vault) openDigestKey(id int, wrapped []byte) (*digests, error) {
	handle, err := keyset.ReadWithAssociatedData(
		keyset.NewBinaryReader(bytes.NewReader(wrapped)), v.sealing, digestKeyBinding(id))
	if err != nil {
		return nil, err
	}
	return newDigests(handle)
}

// CheckDigestKey returns an error if a key cannot be unwrapped.
func (v *Vault) CheckDigestKey(id int, wrapped []byte) error {
	if id == KeysetKey {
		return nil
	}
	if _, err := v.openDigestKey(id, wrapped); err != nil {
		return fmt.Errorf("unwrap the digest key %d: %w", id, err)
	}
	return nil
}

// KeepDigestKeys removes all other keys created by MakeDigestKey from the vault: they are retired.
func (v *Vault) KeepDigestKeys(ids []int) {
	for id := range v.digestKeys.Range {
		if number, _ := id.(int); !slices.Contains(ids, number) {
			v.digestKeys.Delete(id)
		}
	}
}

// digestKeyBinding returns the associated data that binds a wrapped key to its number. Changing it
// makes every key unreadable.
func digestKeyBinding(id int) []byte { return fmt.Appendf(nil, "digest key %d", id) }
