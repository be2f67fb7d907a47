package store

import "errors"

// The errors that callers may test for. Any other error is a failure of the database.
var (
	// ErrNotFound: the named program or bank has no such record.
	ErrNotFound = errors.New("store: not found")
	// ErrTooMany: there are more rows than the caller allowed.
	ErrTooMany = errors.New("store: more rows than allowed")
	// ErrExists: another record has a value that must be unique: a tag, a nickname, a PAN, a key.
	ErrExists = errors.New("store: already exists")
	// ErrLostUpdate: the record has changed since it was read.
	ErrLostUpdate = errors.New("store: changed since it was read")
	// ErrReadOnly: a Put, Change or Delete in a Read or a View.
	ErrReadOnly = errors.New("store: write in a read-only transaction")
	// ErrUnavailable: nothing was stored, and a retry may succeed. The database is unreachable, the
	// store is closed, the disk has failed, transactions collided too often, or a commit is known
	// to be lost.
	ErrUnavailable = errors.New("store: database unavailable")
	// ErrBusy: another program is writing, or holds a lock for too long. ErrBusy is also an
	// ErrUnavailable.
	ErrBusy = errors.New("store: another program is writing")
	// ErrUnknownOutcome: the connection or the disk failed during the commit, and it cannot be
	// determined whether the transaction was committed.
	ErrUnknownOutcome = errors.New("store: commit outcome unknown")
)

// IsMissing reports whether err is ErrNotFound, and returns any other error.
func IsMissing(err error) (bool, error) {
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}
