// Package digests says under which keys the numbers of cards are digested, and how one key
// replaces another. Package vault makes digests, package sqlstore stores them, and a job of
// package issuing makes those of existing numbers.
//
// A number has two digests at most. With one key it has the first. A rotation adds a second, under
// the next key, which new numbers get at once and existing ones from a job: the numbers are still
// found by the first. When the key is retired, the numbers are found by the second, which then
// takes the place of the first, number by number. At the end there is one key again.
package digests

import (
	"errors"
	"strings"
	"time"
)

// Phase is how far a rotation has come.
type Phase string

// The phases, in their order. Behind Moving comes OneKey.
const (
	OneKey  Phase = "one key"  // the first digest is under the key, and there is no second
	TwoKeys Phase = "two keys" // the second is under the next key, and is missing from some numbers
	Moving  Phase = "moving"   // the second is under the key; the first, too, where it is moved
)

// KeysetKey is the key in the keyset of the installation, with which every database begins.
const KeysetKey = 0

// Key is a key, wrapped by the keyset of the installation. KeysetKey has no Wrapped.
type Key struct {
	ID      int
	Wrapped []byte
}

// State says which keys digest the numbers of cards.
type State struct {
	Phase   Phase
	Key     Key       // by which numbers are found
	Next    Key       // in TwoKeys; else the zero value
	Changed time.Time // when the phase began; zero before the first rotation

	// Generation is how many phases there were. A number is kept only with the digests of the
	// generation that is stored: see Number.
	Generation int
}

// Number are the digests of one number.
type Number struct {
	First, Second []byte // no second with one key
	Key           int    // of the first, of a number that is stored

	// Generation is that of the State which the digests were made by.
	Generation int
}

// Digest returns the digests of a number, given what digests it under a key.
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

// Keys returns the numbers of the keys in use.
func (s State) Keys() []int {
	if s.Phase == TwoKeys {
		return []int{s.Key.ID, s.Next.ID}
	}
	return []int{s.Key.ID}
}

// Settling is how long a phase lasts before the key in use can be retired. A transaction that has
// read the State before may be kept a little later, with a number that has no second digest. It is
// longer than such a transaction may take.
const Settling = time.Minute

// The errors of a change that does not fit the phase.
var (
	ErrUnderWay  = errors.New("another rotation is under way")
	ErrNoNextKey = errors.New("there is no next key")
	ErrTooEarly  = errors.New("the next key was made less than a minute ago")
)

// Rotate begins a rotation to the next key.
func (s State) Rotate(next Key, at time.Time) (State, error) {
	if s.Phase != OneKey {
		return s, ErrUnderWay
	}
	s.Phase, s.Next, s.Changed = TwoKeys, next, at
	return s, nil
}

// Retire ends the key in use, for which the next one is used. Every number must have its second
// digest, which is looked at when the phase has settled.
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

// Settle ends a rotation. No number may have a second digest any more.
func (s State) Settle(at time.Time) (State, error) {
	if s.Phase != Moving {
		return s, ErrUnderWay
	}
	s.Phase, s.Changed = OneKey, at
	return s, nil
}

// Sealed is the sealed number of a card.
type Sealed struct {
	CardID int
	Sealed []byte
}

// A database remembers the fingerprint of its keyset. Once its digest key is another one than
// KeysetKey, the number of that key stands behind the fingerprint, so that a program of a version
// that knows no other key refuses the database.
const keyMark = "+"

// Record returns what a database remembers of its keyset and of the number of its digest key, which
// is empty for KeysetKey.
func Record(fingerprint, key string) string {
	if key == "" {
		return fingerprint
	}
	return fingerprint + keyMark + key
}

// Recorded returns what Record was given.
func Recorded(record string) (fingerprint, key string) {
	fingerprint, key, _ = strings.Cut(record, keyMark)
	return fingerprint, key
}

// Fingerprint returns the part of a record that belongs to the keyset alone.
func Fingerprint(record string) string {
	fingerprint, _ := Recorded(record)
	return fingerprint
}
