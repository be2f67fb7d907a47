package store

import (
	"time"

	"mintmark/internal/domain/apikey"
)

// Keys are the API keys of callers.
type Keys interface {
	List() ([]apikey.Key, error)
	// Revision returns the revision of the whole set of keys: it grows with every change to a key.
	Revision() (int64, error)
	// Put inserts a key, or replaces the revision that was listed.
	Put(k apikey.Key) error
	// HasRetiredSecret reports whether the secret with this digest is retired.
	HasRetiredSecret(digest []byte) (bool, error)
	// PutRetiredSecret retires a secret, so that no key can have it again.
	PutRetiredSecret(s RetiredSecret) error

	// Nodes write uses only now and then, so a stored use may be up to a minute late.

	// ListUses returns the last use of each key that was ever used, by key name.
	ListUses() (map[string]time.Time, error)
	// PutUse stores a use, unless a later one is stored.
	PutUse(name string, at time.Time) error
}

// RetiredSecret is the digest of a secret that was removed from a key. It stays rejected
// permanently.
type RetiredSecret struct {
	Digest  []byte
	KeyName string
	At      time.Time
}
