package issuing

import (
	"errors"

	"mintmark/internal/store"
)

// The first try of a transaction is optimistic: it does not look whether a tag, a nickname, a card
// number or the answer to an idempotency key is there already. The unique indexes of the store
// refuse them, and each lookup that is left out saves a round trip. When the store refuses, or when
// a fault is found that a left-out lookup may come before, the try is rolled back and the next one
// looks first, so that the answer is the fault that comes first.

// MaxActTries bounds how often an act is tried. A try that lost a race against another transaction
// finds on the next try what that one wrote. When the last try is lost, too, store.ErrExists or
// store.ErrLostUpdate is the result, which is no fault of the catalogue: the caller is answered
// 52998. Each try is an Update of the store, inside which the engine of PostgreSQL runs a
// transaction again that has collided, maxCollisions times at most.
const MaxActTries = 5

// ErrRecheck ends an optimistic try that must be made again with all lookups.
var ErrRecheck = errors.New("issuing: the optimistic try needs the lookups that it left out")

// TriesAgain reports whether a try that ended with an error is made again.
func TriesAgain(err error) bool {
	return errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrLostUpdate) ||
		errors.Is(err, ErrRecheck)
}
