package issuing

import (
	"context"

	"mintmark/internal/order"
	"mintmark/internal/store"
)

// Outcomes of an operator's acts on an order.
const (
	orderRetried  = "order retried"
	orderHeld     = "order held"
	orderReleased = "order released"
	orderDropped  = "order dropped"
)

// RetryOrder sends an order again at once that waits for its next try, waits for an outcome, or has
// failed. An order that the processor has done already is done once: it knows the identifier.
func (s *Service) RetryOrder(ctx context.Context, who Caller, orderID int) (order.Order, error) {
	return s.actOnOrder(ctx, who, orderID, order.Retry, orderRetried)
}

// HoldOrder keeps an order, and those of its card that wait for it, from being sent.
func (s *Service) HoldOrder(ctx context.Context, who Caller, orderID int) (order.Order, error) {
	return s.actOnOrder(ctx, who, orderID, order.Hold, orderHeld)
}

// ReleaseOrder lets a held order be sent.
func (s *Service) ReleaseOrder(ctx context.Context, who Caller, orderID int) (order.Order, error) {
	return s.actOnOrder(ctx, who, orderID, order.Release, orderReleased)
}

// DropOrder gives an order up for ever. What it was to tell the processor stays untold.
func (s *Service) DropOrder(ctx context.Context, who Caller, orderID int) (order.Order, error) {
	return s.actOnOrder(ctx, who, orderID, order.Drop, orderDropped)
}

// actOnOrder performs an operator's act on an order of the caller's program. It is
// store.ErrNotFound when there is none, and order.ErrState when its state does not allow the act.
func (s *Service) actOnOrder(
	ctx context.Context, who Caller, orderID int, event order.Event, outcome string,
) (changed order.Order, err error) {
	err = s.update(ctx, who, func(w *writeTx) error {
		before, err := w.findOrder(orderID)
		if err != nil {
			return err
		}
		changed, err = w.actOnOrder(before, event, outcome)
		return err
	})
	return changed, err
}

// actOnOrder stores an order after an act of an operator.
func (w *writeTx) actOnOrder(
	before order.Order, event order.Event, outcome string,
) (order.Order, error) {
	after, possible := before.After(event, order.Note{Error: w.caller.Reason}, w.tx.Now())
	if !possible {
		return order.Order{}, order.ErrState
	}
	if err := w.changeOrder(before, &after, outcome); err != nil {
		return order.Order{}, err
	}
	if after.State == order.Waiting {
		w.ordered = append(w.ordered, after.CardID)
	}
	return after, nil
}

// findOrder finds an order of the caller's program.
func (r *readTx) findOrder(orderID int) (order.Order, error) {
	found, err := r.tx.Orders().Find(orderID)
	if err == nil && found.ProgramID != r.caller.ProgramID {
		err = store.ErrNotFound
	}
	return found, err
}
