package message

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/go-jose/go-jose/v4"
)

// minKeyBits is the least length of a processor's key.
const minKeyBits = 2048

// maxKeySet bounds the file of a key set.
const maxKeySet = 1 << 20

// Keys are the public keys of the card processor. Orders are sealed to the first that fits.
type Keys struct{ use jose.JSONWebKey }

// ReadKeys reads a key set from a file.
func ReadKeys(file string) (*Keys, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("read the processor's keys: %w", err)
	}
	if info.Size() > maxKeySet {
		return nil, fmt.Errorf("read the processor's keys: %s has %d bytes", file, info.Size())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the processor's keys: %w", err)
	}
	keys, err := ParseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("read the processor's keys: %s: %w", file, err)
	}
	return keys, nil
}

// ParseKeys reads a JSON Web Key Set. The first key in it that is for encryption by RSA-OAEP-256
// is used, so that a processor puts its newest key first. Keys for something else are skipped, as
// their standard asks. Private keys are refused: they belong to the processor alone.
func ParseKeys(text []byte) (*Keys, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New("it is not a JSON Web Key Set")
	}
	var chosen *jose.JSONWebKey
	named := map[string]bool{}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) != nil {
			continue
		}
		if _, symmetric := key.Key.([]byte); symmetric || !key.IsPublic() {
			return nil, fmt.Errorf("the key %q is not a public one", key.KeyID)
		}
		if !forSealing(key) {
			continue
		}
		if named[key.KeyID] {
			return nil, fmt.Errorf("two keys have the kid %q", key.KeyID)
		}
		named[key.KeyID] = true
		if chosen == nil {
			chosen = &key
		}
	}
	if chosen == nil {
		return nil, fmt.Errorf("there is no public RSA key of at least %d bits for RSA-OAEP-256, "+
			"use enc", minKeyBits)
	}
	return &Keys{use: *chosen}, nil
}

// forSealing reports whether a key may encrypt by RSA-OAEP-256. A key that does not say what it is
// for may.
func forSealing(key jose.JSONWebKey) bool {
	public, isRSA := key.Key.(*rsa.PublicKey)
	return isRSA && public.N.BitLen() >= minKeyBits &&
		(key.Use == "" || key.Use == "enc") &&
		(key.Algorithm == "" || key.Algorithm == string(jose.RSA_OAEP_256))
}

// Name is the kid of the key that orders are sealed to.
func (k *Keys) Name() string { return k.use.KeyID }
