package store

import "time"

// Orders is the outbox to the card processor.
type Orders interface {
	// ListWaiting returns at most limit orders that the processor has not taken, oldest first.
	ListWaiting(limit int) ([]ProcessorOrder, error)
	// ListOldPins returns at most limit orders of a program's cards that hold a PIN and were
	// written before a moment, oldest first.
	ListOldPins(programID int, before time.Time, limit int) ([]ProcessorOrder, error)
	// Put inserts an order whose ID is 0 under the next number, or changes a stored one.
	Put(o ProcessorOrder) error
}

// OrderKind is what the processor is asked to do.
type OrderKind string

// The kinds of order.
const (
	OrderCard  OrderKind = "card"  // make a new card
	OrderRenew OrderKind = "renew" // make a card anew, with the same PAN
	OrderPin   OrderKind = "pin"   // change the PIN
)

// ProcessorOrder is an order to the card processor. It is written in the transaction of the act
// that asks for it, so an act and its order are kept together or not at all.
type ProcessorOrder struct {
	ID        int
	CardID    int
	Kind      OrderKind
	SealedPin []byte // sealed for the processor; empty when the order has no PIN
	Created   time.Time
	Done      time.Time // zero until the processor has taken it
	// PinExpired is when the PIN was destroyed because it was not taken in time; zero if never.
	// An order to change the PIN can then no longer be carried out; any other goes on without.
	PinExpired time.Time
}
