package store

import "time"

// Leases say which node does something for now, so that several nodes do not do it at once.
type Leases interface {
	// Put takes a lease, or renews that of its holder. A lease that another holds, and that has not
	// run out at the time of the transaction, is ErrExists.
	Put(l Lease) error
	// Delete gives a lease back. One that the holder does not have is ErrNotFound.
	Delete(name, holder string) error
}

// Lease gives a holder a name until a moment.
type Lease struct {
	Name   string
	Holder string
	Until  time.Time // from then on anybody may take it
}
