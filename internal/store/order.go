package store

import (
	"time"

	"mintmark/internal/domain/order"
)

// Orders are the orders to the card processor, an outbox: an act writes its orders in its own
// transaction. An act must not read orders other than those of its card: a serializable transaction
// that reads a range of orders collides with every act that writes one.
type Orders interface {
	// Find returns an order by its number.
	Find(orderID int) (order.Order, error)
	// List returns orders, newest first unless the query says otherwise.
	List(of OrderQuery) ([]order.Order, error)
	// ListOldPins returns at most limit orders for a program's cards that hold a PIN and were
	// written before a time, oldest first.
	ListOldPins(programID int, before time.Time, limit int) ([]order.Order, error)
	// ListFiles returns the numbers of the files with sent orders that the processor has not
	// fetched, in order.
	ListFiles() ([]int, error)
	// Count returns how many orders of some programs (nil for all) are in each state, and since
	// when. It excludes done and dropped orders.
	Count(programs []int) ([]OrderCount, error)
	// CountQueues counts, by program, the orders that are waiting or being sent.
	CountQueues() ([]QueueCount, error)
	// CountUnconfirmedLocks counts the locked cards of some programs (nil for all) whose lock or
	// hotlist order has failed or was sent too long ago: written before inFile for an order in a
	// file, before other for any other order.
	CountUnconfirmedLocks(programs []int, inFile, other time.Time) (UnconfirmedLocks, error)
	// HasDue reports whether a Claim at a time may find an order.
	HasDue(at time.Time) (bool, error)

	// Put inserts an order, whose ID must be 0, under the next number.
	Put(o order.Order) error
	// Insert is Put, but returns the order with its number and revision, at the cost of
	// another round trip.
	Insert(o order.Order) (order.Order, error)
	// Change replaces a stored order, except for its card, kind and date. Before is the order as it
	// was read; Change fails with ErrLostUpdate when the stored revision differs. It sets the next
	// revision. If the change ends the wait of other orders of the card, they become due
	// immediately.
	Change(before order.Order, after *order.Order) error
}

// OrderQuery selects orders. A zero field does not restrict the result.
type OrderQuery struct {
	ProgramID int
	CardID    int
	State     order.State // not with CardID
	File      int         // an unfetched file that holds the orders; not with CardID or State

	// Unnumbered selects the orders of a card without a sequence, oldest first: the previous
	// version wrote them.
	Unnumbered bool
	// Waiting selects the waiting orders of a card, oldest first.
	Waiting bool
	// Dropped selects the orders that operators dropped; not with CardID or State.
	Dropped bool
	Before  int // orders with smaller numbers
	From    int // orders with this number or a larger one
	Limit   int // never 0
}

// OrderCount is the number of orders in a state.
type OrderCount struct {
	State  order.State
	Count  int
	Oldest time.Time // when the oldest order was written

	OldestUrgent time.Time // when the oldest urgent order was written, zero without any
	OldestOther  time.Time // likewise for all other orders
	OldestInFile time.Time // likewise for urgent orders in unfetched files
	Unreachable  int       // orders whose last attempt did not reach the processor
}

// UnconfirmedLocks counts cards that are locked here and may be unlocked at the processor.
type UnconfirmedLocks struct {
	Cards  int
	Failed int       // failed locks and hotlists among their orders
	Oldest time.Time // when the oldest of their orders was written
}

// OrderQueue is the dispatcher's access to orders, in a transaction that is not serializable: see
// Store.Dispatch.
type OrderQueue interface {
	// Now returns the time of the transaction.
	Now() time.Time
	// Claim claims due orders for one node until a time. Unless an order is changed before then, it
	// becomes due again.
	//
	// An order is due when its next attempt is due and it waits for no other order. An urgent order
	// waits only for the order that creates its card, any other order for all earlier waiting or
	// held orders of its card.
	//
	// No order that is not urgent is due while an urgent order is due, or waits after an attempt
	// that did not reach the processor. Exception: if the processor answered another order more
	// than ReachableAfter after the urgent order was written or retried by an operator, the
	// processor is reachable, and the urgent order blocks only its own card.
	Claim(of OrderClaim) ([]order.Order, error)
	// Renew extends a node's claims on orders. It leaves orders that the node has not claimed
	// unchanged.
	Renew(node string, until time.Time, orderIDs []int) error
	// Free ends the claims of a node whose process is gone, and makes urgent orders that wait for
	// their next attempt due.
	Free(node string) error
	// Find returns an order and locks it against changes until the end of the transaction.
	Find(orderID int) (order.Order, error)
	// Change is Orders.Change.
	Change(before order.Order, after *order.Order) error
}

// OrderClaim configures a Claim.
type OrderClaim struct {
	Node   string
	Until  time.Time
	Urgent bool // claim urgent orders, or else all others
	Limit  int

	Answered time.Time // a time after which the processor has answered an order; zero for none
}

// ReachableAfter is how much later than an urgent order another order must be answered. By then
// every attempt that began before an outage has ended.
const ReachableAfter = time.Minute
