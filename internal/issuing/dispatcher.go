package issuing

import (
	"context"

	"mintmark/internal/processor"
)

// A Dispatcher is notified, after the commit, of the orders that an act wrote. In a sandbox it
// carries them out before it returns; elsewhere it only wakes the delivery.
type Dispatcher interface {
	OrdersWritten(ctx context.Context, orders []CardOrders)
	// Predict predicts the answer of the processor to an order that has no identifier yet, and
	// returns false if the answer is known only after sending it.
	Predict(m processor.Message) (processor.Answer, bool)
}

// CardOrders are the orders of a card that an act has written.
type CardOrders struct {
	ProgramID, CardID int
	// Done are the orders that were completed by a predicted answer; the processor is still told of
	// them.
	Done []processor.Message
	// Waiting says that others are to be carried out.
	Waiting bool
}
