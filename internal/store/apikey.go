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

	// A use may be a minute late here, because nodes write uses now and then.

	// ListUses returns the last use of each key that was ever used, by its name.
	ListUses() (map[string]time.Time, error)
	// PutUse stores a use, unless a later one is stored.
	PutUse(name string, at time.Time) error
}

// RetiredSecret is the digest of a secret that was taken from a key. It is refused for ever.
type RetiredSecret struct {
	Digest  []byte
	KeyName string
	At      time.Time
}
