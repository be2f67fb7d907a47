package issuing

import (
	"errors"

	"mintmark/internal/store"
)

// The first attempt at a transaction is optimistic: it does not check whether a tag, a nickname, a
// card number or the response to an idempotency key already exists. The unique indexes of the store
// reject duplicates, and each skipped lookup saves a round trip. If the store rejects a row, or if
// the act finds a fault that a skipped lookup might precede, the attempt is rolled back, and the
// next one performs all lookups, so that the response is the fault that takes precedence.

// MaxActAttempts bounds the attempts at an act. An attempt that loses a race against another
// transaction sees the writes of that transaction when it is repeated. If the last attempt loses as
// well, the result is store.ErrExists or store.ErrLostUpdate, which is no fault of the catalogue,
// so the response is 52998. Each attempt is an Update of the store, inside which the engine of
// PostgreSQL retries a transaction after a collision, at most maxCollisions times.
const MaxActAttempts = 5

// ErrRecheck ends an optimistic attempt that must be repeated with all lookups.
var ErrRecheck = errors.New("issuing: the optimistic attempt needs the lookups that it skipped")

// IsRetryable reports whether an attempt that ended with this error is repeated.
func IsRetryable(err error) bool {
	return errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrLostUpdate) ||
		errors.Is(err, ErrRecheck)
}
