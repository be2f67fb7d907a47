package store

import "errors"

// The errors that callers may test for. Any other error is a failure of the database.
var (
	// ErrNotFound: the program or bank that was named has no such record.
	ErrNotFound = errors.New("store: not found")
	// ErrMany: there are more rows than the caller asked for.
	ErrMany = errors.New("store: more than asked for")
	// ErrExists: another record holds a value that must be unique: a tag, a nickname, a PAN, a key.
	ErrExists = errors.New("store: exists already")
	// ErrLostUpdate: the record has changed since it was read.
	ErrLostUpdate = errors.New("store: changed since it was read")
	// ErrReadOnly: a Put, Change or Delete in a Read or a View.
	ErrReadOnly = errors.New("store: a write in a transaction that only reads")
	// ErrUnavailable: nothing was kept, and a later try may succeed. The database cannot be
	// reached, the store is closed, the disk has failed, transactions have collided too often, or a
	// commit is known to be lost.
	ErrUnavailable = errors.New("store: database out of reach")
	// ErrBusy: another program writes, or holds a lock for too long. It is an ErrUnavailable, too.
	ErrBusy = errors.New("store: another program is writing")
	// ErrUnknownOutcome: the connection or the disk failed during the commit, and whether the
	// transaction was kept cannot be found out.
	ErrUnknownOutcome = errors.New("store: commit outcome unknown")
)

// IsMissing reports whether a Find answered ErrNotFound, and returns any other error.
func IsMissing(err error) (bool, error) {
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}
