package issuing

import (
	"context"

	"mintmark/internal/processor"
)

// Dispatcher is told, after the commit, of the orders that an act has written. A sandbox has them
// carried out before it returns; elsewhere they are only announced.
type Dispatcher interface {
	OrdersWritten(ctx context.Context, orders []CardOrders)
	// Foresee returns what the processor will answer to an order that has no identifier yet, and
	// false when that is known only once it is sent.
	Foresee(m processor.Message) (processor.Answer, bool)
}

// CardOrders are the orders of a card that an act has written.
type CardOrders struct {
	ProgramID, CardID int
	// Done are those that are done by what was foreseen, for the processor to hear of.
	Done []processor.Message
	// Waiting says that others are to be carried out.
	Waiting bool
}
