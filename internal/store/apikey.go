package store

import (
	"time"

	"mintmark/internal/apikey"
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
