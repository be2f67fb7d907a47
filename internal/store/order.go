package store

import (
	"time"

	"mintmark/internal/domain/order"
)

// Orders are the orders to the card processor, an outbox: an act writes its orders in its own
// transaction. An act must not read orders beside those of its card: a serializable transaction
// that reads a range of orders collides with every act that writes one.
type Orders interface {
	// Find returns an order by its number.
	Find(orderID int) (order.Order, error)
	// List returns orders, the newest first, where the query does not say otherwise.
	List(of OrderQuery) ([]order.Order, error)
	// ListOldPins returns at most limit orders of a program's cards that hold a PIN and were
	// written before a moment, oldest first.
	ListOldPins(programID int, before time.Time, limit int) ([]order.Order, error)
	// ListFiles returns the numbers of the files that hold sent orders and that the processor has
	// not fetched, in their order.
	ListFiles() ([]int, error)
	// Count returns how many orders of some programs, nil for all, are in each state but done, since
	// when, without dropped ones.
	Count(programs []int) ([]OrderCount, error)
	// CountQueues counts the orders of each program that wait or are sent.
	CountQueues() ([]QueueCount, error)
	// CountOpenLocks counts, in some programs, nil for all, the locked cards whose lock or hotlist has
	// failed, or is sent for too long: it was written before a moment, that of orders in files or
	// that of all others.
	CountOpenLocks(programs []int, inFile, other time.Time) (OpenLocks, error)
	// HasDue reports whether a Claim at a moment may find an order.
	HasDue(at time.Time) (bool, error)

	// Put inserts an order, whose ID must be 0, under the next number.
	Put(o order.Order) error
	// PutNumbered is Put of a changed order. It returns number and revision, for a round trip more.
	PutNumbered(o order.Order) (order.Order, error)
	// Change replaces what may change of a stored order: all but its card, kind and date. Before is
	// the order as it was read; the change fails with ErrLostUpdate when the stored revision is
	// another one. It sets the next revision. Orders of the card that waited for this one are due
	// at once when it ends their wait.
	Change(before order.Order, after *order.Order) error
}

// OrderQuery says which orders are listed. A zero field does not restrict.
type OrderQuery struct {
	ProgramID int
	CardID    int
	State     order.State // not with CardID
	File      int         // that holds them and is not fetched; not with CardID and State

	// Unnumbered lists the orders of a card that have no sequence, oldest first: the previous
	// version wrote them.
	Unnumbered bool
	// Waiting lists the waiting orders of a card, oldest first.
	Waiting bool
	// Dropped lists the orders that operators dropped; not with CardID and State.
	Dropped bool
	Before  int // orders with smaller numbers
	From    int // orders with this number and larger ones
	Limit   int // never 0
}

// OrderCount says how many orders are in a state.
type OrderCount struct {
	State  order.State
	Count  int
	Oldest time.Time // when the oldest of them was written

	OldestUrgent time.Time // the same of those that are urgent, zero without any
	OldestOther  time.Time // and of all others
	OldestInFile time.Time // and of urgent ones in files that are not fetched
	Unreachable  int       // how many of them did not reach the processor with their last try
}

// OpenLocks are cards that are locked here and may be open at the processor.
type OpenLocks struct {
	Cards  int
	Failed int       // of their locks and hotlists
	Oldest time.Time // when the oldest of their orders was written
}

// OrderQueue is what a dispatcher does with orders, in a transaction that is not serializable: see
// Dispatch of Store.
type OrderQueue interface {
	// Now is the time of the transaction.
	Now() time.Time
	// Claim takes orders that are due, for one node until an end, when they are due again unless
	// they were changed. An order is due when its next try is, and when it waits for no other: an
	// urgent one for the order to make its card, any other for all earlier ones of its card that
	// are waiting or held. None but urgent ones are due while an urgent one is, or waits after a
	// try that did not reach the processor. One that was written, or tried anew by an operator, more
	// than AloneAfter before the processor answered another order holds up its own card only: the
	// processor is there.
	Claim(of OrderClaim) ([]order.Order, error)
	// Renew moves the end of a node's claims on orders. Orders that it has not claimed stay as they
	// are.
	Renew(node string, until time.Time, orderIDs []int) error
	// Free ends the claims of a node whose process is gone, and the wait of urgent orders for their
	// next try.
	Free(node string) error
	// Find returns an order and keeps others from changing it until the end of the transaction.
	Find(orderID int) (order.Order, error)
	// Change is that of Orders.
	Change(before order.Order, after *order.Order) error
}

// OrderClaim says who claims how many orders, and until when.
type OrderClaim struct {
	Node   string
	Until  time.Time
	Urgent bool // urgent orders, or all others
	Limit  int

	Answered time.Time // a moment after which the processor has answered an order, zero for none
}

// AloneAfter is how much later than an urgent order another one has to be answered. By then every try
// that began before an outage has ended.
const AloneAfter = time.Minute
