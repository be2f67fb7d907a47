package vault

import (
	"errors"
	"fmt"
	"slices"
)

// newPinFile is the file of a second PIN key. Callers switch to a new key at their own pace, so
// both keys decrypt PINs for some time. When the old key is retired, the new one replaces it in
// pin-private.pem.
const newPinFile = "pin-private-new.pem"

// ErrPinKey is returned for a PIN key that is not in the directory.
var ErrPinKey = errors.New("there is no such PIN key")

// readPinKeys reads the PIN key, and the second one if there is one.
func (s Settings) readPinKeys() ([]pinKey, error) {
	keys := make([]pinKey, 0, 2)
	for _, name := range []string{pinFile, newPinFile} {
		if name == newPinFile && !directory(s.Dir).holds(name) {
			break
		}
		text, err := s.read(name, s.newPinKey)
		if err != nil {
			return nil, err
		}
		key, err := parsePinKey(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		// An interrupted retirement leaves the same key in both files.
		if len(keys) == 0 || keys[0].id != key.id {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// PinKeys returns the fingerprints of the PIN keys in use, the published one first.
func (v *Vault) PinKeys() []string { return idsOf(v.pins) }

// AllPinKeys returns the fingerprints of all PIN keys in the directory.
func (v *Vault) AllPinKeys() []string { return idsOf(v.heldPins) }

func idsOf(keys []pinKey) []string {
	var ids []string
	for _, key := range keys {
		ids = append(ids, key.id)
	}
	return ids
}

// UsePinKeys makes the vault use the PIN keys that the database lists; the first is published. If a
// key is not in the directory, it returns ErrPinKey and changes nothing. A new key that is not
// published yet is used, too, because other nodes may publish it at any time. An old key that is no
// longer in the database is retired and decrypts nothing.
//
// UsePinKeys must not run concurrently with other methods of the vault.
func (v *Vault) UsePinKeys(remembered []string) error {
	var used []pinKey
	for _, id := range remembered {
		at := slices.Index(idsOf(v.heldPins), id)
		if at < 0 {
			return fmt.Errorf("%w: %s", ErrPinKey, id)
		}
		used = append(used, v.heldPins[at])
	}
	if len(used) == 0 {
		return ErrPinKey
	}
	if len(used) == 1 && len(v.heldPins) > 1 && used[0].id == v.heldPins[0].id {
		used = append(used, v.heldPins[1])
	}
	v.pins = used
	return v.publishPins()
}

// AddPinKey creates a second PIN key in the directory and returns its fingerprint. It keeps an
// existing second key.
func AddPinKey(s Settings) (string, error) {
	s.MustExist = true
	held, err := s.readPinKeys()
	if err != nil {
		return "", err
	}
	if len(held) == 1 && directory(s.Dir).holds(newPinFile) {
		// An interrupted retirement has left this copy of the remaining key.
		if err := directory(s.Dir).remove(newPinFile); err != nil {
			return "", err
		}
	}
	s.MustExist = false
	text, err := s.read(newPinFile, s.newPinKey)
	if err != nil {
		return "", err
	}
	key, err := parsePinKey(text)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", newPinFile, err)
	}
	return key.id, nil
}

// DropPinKey removes a PIN key from the directory. The other key replaces it.
func DropPinKey(s Settings, id string) error {
	steps, err := s.dropping(id)
	if err != nil {
		return err
	}
	return run(steps)
}

// dropping returns the steps of DropPinKey. After each step the remaining key is in the directory.
func (s Settings) dropping(id string) ([]step, error) {
	s.MustExist = true
	held, err := s.readPinKeys()
	if err != nil {
		return nil, err
	}
	removeNew := step(func() error { return directory(s.Dir).remove(newPinFile) })
	switch {
	case len(held) == 2 && held[1].id == id:
		return []step{removeNew}, nil
	case len(held) == 2 && held[0].id == id:
		text, err := s.read(newPinFile, nil)
		if err != nil {
			return nil, err
		}
		return []step{func() error { return s.replace(pinFile, text) }, removeNew}, nil
	case held[0].id == id:
		return nil, fmt.Errorf("%s is the only PIN key", id)
	case len(held) == 1 && directory(s.Dir).holds(newPinFile):
		return []step{removeNew}, nil // an interrupted retirement of this key
	}
	return nil, fmt.Errorf("%w: %s", ErrPinKey, id)
}
