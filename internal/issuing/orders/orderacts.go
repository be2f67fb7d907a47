package orders

import (
	"context"
	"fmt"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Outcomes of operators' acts on an order.
const (
	orderRetried  = "order retried"
	orderHeld     = "order held"
	orderReleased = "order released"
	orderDropped  = "order dropped"
)

// operatorsActs holds operators' acts on orders by name, with their outcomes.
var operatorsActs = map[string]struct {
	event   order.Event
	outcome string
	stops   bool // the order is not sent to the processor
}{
	"retry":   {order.Retry, orderRetried, false},
	"hold":    {order.Hold, orderHeld, true},
	"release": {order.Release, orderReleased, false},
	"drop":    {order.Drop, orderDropped, true},
}

// ActOnOrder performs an operator's act on an order:
//
//   - retry sends an order immediately if it waits for its next attempt or an outcome, or has
//     failed. The processor knows its identifier, so nothing is done twice. Retrying a failed order
//     to make a card that has ended meanwhile is refused.
//   - hold keeps an order from being sent, and those of its card that wait for it.
//   - release lets a held order be sent.
//   - drop gives up an order permanently. The processor is not notified, and may know the order if
//     it was sent.
//
// Stopping an order that locks or hotlists a card leaves the card open at the processor, as does
// holding the order to make a card that the processor may know: later locks wait for it. Both need
// a second operator if four eyes are demanded.
//
// ActOnOrder returns order.ErrState if the state of the order does not allow the act. revision is
// that of the order, 0 for any. An order in a file that is not written yet can be neither held nor
// dropped.
func (s *Service) ActOnOrder(
	ctx context.Context, who issuing.Operator, id string, revision int, act string,
) (order.Order, error) {
	o, err := s.FindOrder(ctx, who, id)
	if err != nil {
		return order.Order{}, err
	}
	effect, known := operatorsActs[act]
	if !known {
		return order.Order{}, fmt.Errorf("issuing: unknown act on orders %q", act)
	}
	var changed order.Order
	err = s.Act(ctx, who, issuing.InProgram(o.ProgramID), act+" order",
		func(tx *issuing.Tx) error {
			before, err := findOrder(tx, o.ID)
			if err == nil {
				err = issuing.CheckRevisionIf("the order", before.Revision, revision)
			}
			if err != nil {
				return err
			}
			if effect.event == order.Retry {
				if err := checkMade(tx, before); err != nil {
					return err
				}
			}
			if effect.stops {
				if err := checkStop(tx, before, effect.event); err != nil {
					return err
				}
			}
			changed, err = actOnOrder(tx, before, effect.event, effect.outcome)
			return err
		})
	if err != nil {
		return order.Order{}, err
	}
	if who.DryRun {
		return changed, nil
	}
	return s.FindOrder(ctx, who, id)
}

// checkMade refuses to retry a failed order to make a card that has ended: the order to close the
// card may be done, so the card would stay open at the processor.
func checkMade(tx *issuing.Tx, o order.Order) error {
	if o.State != order.Failed || o.Kind != order.Make && o.Kind != order.Remake {
		return nil
	}
	c, err := tx.Cards().Find(o.ProgramID, o.CardID)
	if err == nil && c.IsOver() {
		return issuing.Refuse(fmt.Sprintf("Card %d is %s, so it must not be made: drop the order.",
			c.ID, c.Status))
	}
	return err
}

// checkStop demands a second operator if a card that is locked here may then stay open at the
// processor, and refuses to stop an order in an unwritten file.
func checkStop(tx *issuing.Tx, o order.Order, event order.Event) error {
	if o.Kind.Urgent() || event == order.Hold && o.BlocksLocks() {
		if err := tx.Guard(); err != nil {
			return err
		}
	}
	return checkUnwritten(tx, o)
}

// checkUnwritten refuses to stop an order in a file that has a number but is not written yet.
func checkUnwritten(tx *issuing.Tx, o order.Order) error {
	files, err := unwrittenWith(tx, o)
	if len(files) > 0 {
		return issuing.Refuse(fmt.Sprintf("The order is in orders-%d.jsonl, which has not been written "+
			"yet. Try again once it has.", files[0].Sequence))
	}
	return err
}

// actOnOrder stores an order after an operator's act.
func actOnOrder(tx *issuing.Tx,
	before order.Order, event order.Event, outcome string,
) (order.Order, error) {
	after, possible := before.After(event, order.Note{Error: tx.Caller.Reason}, tx.Now())
	if !possible {
		return order.Order{}, order.ErrState
	}
	if err := changeOrder(tx, before, &after, outcome); err != nil {
		return order.Order{}, err
	}
	if after.State == order.Waiting {
		tx.Ordered = append(tx.Ordered,
			issuing.CardOrders{ProgramID: after.ProgramID, CardID: after.CardID, Waiting: true})
	}
	return after, nil
}

// findOrder returns an order of the caller's program.
func findOrder(tx *issuing.Tx, orderID int) (order.Order, error) {
	o, err := tx.Orders().Find(orderID)
	if err == nil && o.ProgramID != tx.Caller.ProgramID {
		err = store.ErrNotFound
	}
	return o, err
}
