package store

import "time"

// Leases let one node at a time do something, such as run a job.
type Leases interface {
	// Put takes a lease, or renews it for its holder. It fails with ErrExists when another holder
	// has the lease, unless that has run out at the time of the transaction.
	Put(l Lease) error
	// Delete gives a lease back. It fails with ErrNotFound when the holder does not have it.
	Delete(name, holder string) error
}

// Lease gives a holder a name until a moment.
type Lease struct {
	Name   string
	Holder string
	Until  time.Time // from then on another holder may take it
}
