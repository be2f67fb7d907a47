package store

import "time"

// Idempotency keeps the answers that are given again to repeated requests.
type Idempotency interface {
	Find(scope IdempotencyScope) (IdempotencyRecord, error)
	// Put is ErrExists when the scope has a record already.
	Put(r IdempotencyRecord) error
	// DeleteBefore deletes at most limit records from before a moment, and returns how many.
	DeleteBefore(before time.Time, limit int) (int, error)
}

// IdempotencyScope is where an idempotency key counts: one API key, one route.
type IdempotencyScope struct {
	APIKey string
	Route  string
	Key    string
}

// IdempotencyRecord is an answer that is given again to a repeated request.
type IdempotencyRecord struct {
	IdempotencyScope
	BodyDigest []byte // SHA-256 of the request's body
	HTTP       int
	Answer     []byte
	At         time.Time
}
