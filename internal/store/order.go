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
	OrderRenew OrderKind = "renew" // make the card again, with the same PAN
	OrderPin   OrderKind = "pin"   // change the PIN
)

// ProcessorOrder is an order to the card processor. It is written in the transaction of its act, so
// that both are kept or neither is.
type ProcessorOrder struct {
	ID        int
	CardID    int
	Kind      OrderKind
	SealedPin []byte // sealed for the processor; empty when the order has no PIN
	Created   time.Time
	Done      time.Time // zero until the processor has taken it
	// PinExpired is when the PIN was destroyed because the processor did not take it in time; zero
	// if never. It ends an order to change the PIN; any other order goes on without the PIN.
	PinExpired time.Time
}
