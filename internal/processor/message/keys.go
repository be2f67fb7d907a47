package message

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/go-jose/go-jose/v4"
)

// minKeyBits is the minimum length of a processor's key.
const minKeyBits = 2048

// maxKeySet is the maximum size of a key set's file, in bytes.
const maxKeySet = 1 << 20

// Keys holds the public key of the card processor to which orders are encrypted: the first suitable
// one of its key set.
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

// ParseKeys parses a JSON Web Key Set. It uses the first key for encryption with RSA-OAEP-256, so a
// processor lists its newest key first. It skips keys for other purposes, as the standard requires.
// It rejects private keys, which only the processor may have.
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
			return nil, fmt.Errorf("the key %q is not a public key", key.KeyID)
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

// forSealing reports whether a key may encrypt with RSA-OAEP-256. A key that does not state its
// purpose may.
func forSealing(key jose.JSONWebKey) bool {
	public, isRSA := key.Key.(*rsa.PublicKey)
	return isRSA && public.N.BitLen() >= minKeyBits &&
		(key.Use == "" || key.Use == "enc") &&
		(key.Algorithm == "" || key.Algorithm == string(jose.RSA_OAEP_256))
}

// Name returns the kid of the key to which orders are encrypted.
func (k *Keys) Name() string { return k.use.KeyID }
