package issuing

import (
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
)

// save stores what an act has made of a card for a customer, with the orders that it asks for or
// that follow from the change, and its audit entry. A card that the act left as it was is not
// stored again without an order; a date of change alone is no change.
func (tx *Tx) save(
	customerID int, before, after card.Card, asked ...orderRequest,
) (card.Card, error) {
	entry := about(after.ID, customerID, unchanged)
	if !isSame(before, after) {
		entry.Outcome = changed
		entry.Before, entry.After = audit.Diff(before, after)
	}
	if err := tx.sealPeople(after.ID, &entry); err != nil {
		return card.Card{}, err
	}
	after, err := tx.store(before, after, asked)
	if err != nil {
		return card.Card{}, err
	}
	return after, tx.audit(entry)
}

// isSame reports whether two states of a card differ in nothing but the date of change and the
// revision.
func isSame(before, after card.Card) bool {
	before.Modified, before.Revision = after.Modified, after.Revision
	return before.Equal(&after)
}

// store stores a card that has changed, or has new orders, and its orders.
func (tx *Tx) store(before, after card.Card, asked []orderRequest) (card.Card, error) {
	asked = tx.ordersFor(before, after, asked)
	after, err := tx.number(after, len(asked))
	if err != nil {
		return card.Card{}, err
	}
	if isSame(before, after) {
		return after, nil
	}
	if err := tx.Cards().Change(before, &after); err != nil {
		return card.Card{}, err
	}
	return after, tx.order(after, asked)
}

// processorOf is the card processor as the caller of an act on the card of an order.
func processorOf(o order.Order) Caller {
	return Caller{
		Actor:     audit.Actor{Kind: audit.Processor, Name: ProcessorName},
		ProgramID: o.ProgramID,
	}
}

// applyReports applies the reports that came with the answer to an order. What the status of the
// card does not allow changes nothing.
func (tx *Tx) applyReports(of order.Order, reports []order.Report) error {
	found, err := tx.Cards().Find(of.ProgramID, of.CardID)
	if err != nil {
		return err
	}
	for _, report := range reports {
		after, possible := ruleOf(report.Kind, of.Kind)(found, report.At)
		if !possible {
			continue
		}
		tx.caller.Route = reportAct(report.Kind)
		found, err = tx.save(0, found, after)
		if err != nil {
			return err
		}
	}
	return nil
}
