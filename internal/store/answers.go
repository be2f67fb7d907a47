package store

import "time"

// Answers holds the responses that are replayed when a caller repeats a request.
type Answers interface {
	Find(scope IdempotencyScope) (IdempotencyRecord, error)
	// Put fails with ErrExists when the scope already has a record.
	Put(r IdempotencyRecord) error
	// DeleteBefore deletes at most limit records older than before, and returns how many.
	DeleteBefore(before time.Time, limit int) (int, error)
}

// IdempotencyScope identifies a record: an idempotency key is unique per API key and route.
type IdempotencyScope struct {
	APIKey string
	Route  string
	Key    string
}

// IdempotencyRecord is a stored response, replayed to a repeated request.
type IdempotencyRecord struct {
	IdempotencyScope
	BodyDigest []byte // keyed digest of the request body
	HTTP       int
	Answer     []byte
	At         time.Time
}
