package store

import (
	"time"

	"mintmark/internal/domain/apikey"
)

// Keys are the API keys of callers.
type Keys interface {
	List() ([]apikey.Key, error)
	// Revision is that of all keys together: it grows with every change of one.
	Revision() (int64, error)
	// Put inserts a key, or replaces the revision that was listed.
	Put(k apikey.Key) error
	// HasRetiredSecret reports whether a secret is retired, by its digest.
	HasRetiredSecret(digest []byte) (bool, error)
	// PutRetiredSecret stores a secret that no key may have again.
	PutRetiredSecret(s RetiredSecret) error
}

// RetiredSecret is the digest of a secret that was taken from a key. It is refused for ever.
type RetiredSecret struct {
	Digest  []byte
	KeyName string
	At      time.Time
}

// KeyUses say when each key was used last. Nodes write them now and then, so a use may be a minute
// late here.
type KeyUses interface {
	// List returns the last use of each key that was ever used, by its name.
	List() (map[string]time.Time, error)
	// Put stores a use, unless a later one is stored.
	Put(name string, at time.Time) error
}
