package vault

import (
	"errors"
	"fmt"
	"slices"
)

// newPinFile is a second PIN key. Callers change to another key at a time of their own, so both
// open PINs for a while. It takes the place of pin-private.pem when that is retired.
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
		// A retirement that was interrupted leaves one key in both files.
		if len(keys) == 0 || keys[0].id != key.id {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// PinKeys returns the fingerprints of the PIN keys in use, the published one first.
func (v *Vault) PinKeys() []string { return idsOf(v.pins) }

// HeldPinKeys returns the fingerprints of all PIN keys in the directory.
func (v *Vault) HeldPinKeys() []string { return idsOf(v.heldPins) }

func idsOf(keys []pinKey) []string {
	var ids []string
	for _, key := range keys {
		ids = append(ids, key.id)
	}
	return ids
}

// UsePinKeys has the vault use the PIN keys that a database remembers, the first of which is
// published. One that is not in the directory is ErrPinKey, and nothing changes. A new key that
// waits to be published is used, too, because other nodes may publish it at any time. An old key
// that the database has forgotten is retired, and opens nothing.
//
// It must not run beside other methods of the vault.
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

// AddPinKey makes a second PIN key in the directory and returns its fingerprint. A second key that
// is there already stays.
func AddPinKey(s Settings) (string, error) {
	s.MustExist = true
	held, err := s.readPinKeys()
	if err != nil {
		return "", err
	}
	if len(held) == 1 && directory(s.Dir).holds(newPinFile) {
		// It is what an interrupted retirement has left of the key that stays.
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

// DropPinKey removes a PIN key from the directory. The other one takes its place.
func DropPinKey(s Settings, id string) error {
	steps, err := s.dropping(id)
	if err != nil {
		return err
	}
	return run(steps)
}

// dropping are the steps of DropPinKey. After each of them the key that stays is in the directory.
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
		return nil, fmt.Errorf("%s is the only PIN key there is", id)
	case len(held) == 1 && directory(s.Dir).holds(newPinFile):
		return []step{removeNew}, nil // an interrupted retirement of this key
	}
	return nil, fmt.Errorf("%w: %s", ErrPinKey, id)
}
