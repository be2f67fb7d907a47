package store

import "time"

// Answers holds the answers that repeated requests of callers get again.
type Answers interface {
	Find(scope IdempotencyScope) (IdempotencyRecord, error)
	// Put fails with ErrExists when the scope has a record already.
	Put(r IdempotencyRecord) error
	// DeleteBefore deletes at most limit records from before a moment, and returns how many.
	DeleteBefore(before time.Time, limit int) (int, error)
}

// IdempotencyScope names a record: an idempotency key is unique for one API key and one route.
type IdempotencyScope struct {
	APIKey string
	Route  string
	Key    string
}

// IdempotencyRecord is an answer that is given again to a repeated request.
type IdempotencyRecord struct {
	IdempotencyScope
	BodyDigest []byte // keyed, of the request
	HTTP       int
	Answer     []byte
	At         time.Time
}
