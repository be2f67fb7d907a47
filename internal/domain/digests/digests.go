// Package digests defines which keys digest the card numbers, and how one key replaces another.
// Package vault computes digests, package sqlstore stores them, and a job of package issuing
// computes those of existing card numbers.
//
// A card number has at most two digests. With one key it has only the first. A rotation adds a
// second digest, under the next key: new card numbers get it immediately, existing ones from a job,
// and lookups still use the first. When the key is retired, lookups use the second, which then
// replaces the first, number by number. At the end there is one key again.
package digests

import (
	"errors"
	"strings"
	"time"
)

// Phase is the phase of a rotation.
type Phase string

// The phases in order. After Moving comes OneKey.
const (
	OneKey  Phase = "one key"  // the first digest is under the key, and there is no second
	TwoKeys Phase = "two keys" // the second is under the next key; some card numbers lack it
	Moving  Phase = "moving"   // the second is under the key, as is the first of moved numbers
)

// DefaultKeyID is the ID of the key in the keyset of the installation. Every database starts with
// it.
const DefaultKeyID = 0

// Key is a digest key, wrapped by the keyset of the installation. DefaultKeyID has no Wrapped.
type Key struct {
	ID      int
	Wrapped []byte
}

// State holds the keys that digest the card numbers.
type State struct {
	Phase   Phase
	Key     Key       // for lookups
	Next    Key       // in TwoKeys; otherwise the zero value
	Changed time.Time // start of the phase; zero before the first rotation

	// Generation counts the phases. The store accepts a card number only with digests of the stored
	// generation: see Number.
	Generation int
}

// Number holds the digests of a card number.
type Number struct {
	First, Second []byte // no Second with one key
	Key           int    // the key of First, for a stored card number

	// Generation is that of the State from which the digests were computed.
	Generation int
}

// Digest returns the digests of a card number. under computes its digest under a key.
func (s State) Digest(under func(Key) ([]byte, error)) (Number, error) {
	number := Number{Key: s.Key.ID, Generation: s.Generation}
	var err error
	if number.First, err = under(s.Key); err != nil {
		return Number{}, err
	}
	switch s.Phase {
	case TwoKeys:
		number.Second, err = under(s.Next)
	case Moving:
		number.Second = number.First
	}
	if err != nil {
		return Number{}, err
	}
	return number, nil
}

// Keys returns the IDs of the keys in use.
func (s State) Keys() []int {
	if s.Phase == TwoKeys {
		return []int{s.Key.ID, s.Next.ID}
	}
	return []int{s.Key.ID}
}

// Settling is the minimum duration of a phase before the current key can be retired. A transaction
// that read the earlier State may commit a little later and store a card number without a second
// digest. Settling is longer than such a transaction may take.
const Settling = time.Minute

// Errors of a change that does not fit the phase.
var (
	ErrUnderWay  = errors.New("another rotation is under way")
	ErrNoNextKey = errors.New("there is no next key")
	ErrTooEarly  = errors.New("the next key was made less than a minute ago")
)

// Rotate starts a rotation to the next key.
func (s State) Rotate(next Key, at time.Time) (State, error) {
	if s.Phase != OneKey {
		return s, ErrUnderWay
	}
	s.Phase, s.Next, s.Changed = TwoKeys, next, at
	return s, nil
}

// Retire retires the current key and replaces it with the next one. Every card number must have its
// second digest; the caller checks that once the phase has settled.
func (s State) Retire(at time.Time) (State, error) {
	if s.Phase != TwoKeys {
		return s, ErrNoNextKey
	}
	if at.Sub(s.Changed) < Settling {
		return s, ErrTooEarly
	}
	s.Phase, s.Key, s.Next, s.Changed = Moving, s.Next, Key{}, at
	return s, nil
}

// Settle ends a rotation. No card number may still have a second digest.
func (s State) Settle(at time.Time) (State, error) {
	if s.Phase != Moving {
		return s, ErrUnderWay
	}
	s.Phase, s.Changed = OneKey, at
	return s, nil
}

// Sealed is the encrypted card number of a card.
type Sealed struct {
	CardID int
	Sealed []byte
}

// A database stores the fingerprint of its keyset. If its digest key is not DefaultKeyID, the ID of
// the digest key follows the fingerprint, so that a version of the program that supports only
// DefaultKeyID rejects the database.
const keyMark = "+"

// Record returns what a database stores about its keyset and the ID of its digest key, which is
// empty for DefaultKeyID.
func Record(fingerprint, key string) string {
	if key == "" {
		return fingerprint
	}
	return fingerprint + keyMark + key
}

// Recorded returns the arguments of the call to Record that returned record.
func Recorded(record string) (fingerprint, key string) {
	fingerprint, key, _ = strings.Cut(record, keyMark)
	return fingerprint, key
}

// Fingerprint returns the part of a record that belongs to the keyset alone.
func Fingerprint(record string) string {
	fingerprint, _ := Recorded(record)
	return fingerprint
}
