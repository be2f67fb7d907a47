package issuing

import (
	"context"

	"mintmark/internal/processor"
)

// A Dispatcher is notified, after the commit, of the orders that an act wrote. In a sandbox it
// executes them before it returns; elsewhere it only wakes the delivery.
type Dispatcher interface {
	OrdersWritten(ctx context.Context, orders []CardOrders)
	// Predict predicts the answer of the processor to an order that has no identifier yet, and
	// returns false if the answer is known only after sending it.
	Predict(m processor.Message) (processor.Answer, bool)
}

// CardOrders holds the orders that an act wrote for a card.
type CardOrders struct {
	ProgramID, CardID int
	// Done lists the orders completed by a predicted answer; the processor is still notified of
	// them.
	Done []processor.Message
	// Waiting is true if other orders wait for execution.
	Waiting bool
}
