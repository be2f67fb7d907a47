package orders

import (
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
)

// SaveCard stores a card as an act changed it, with the audit entry, the requested orders and the
// orders that follow from the change. customerID is the customer who acted, 0 for none. A card
// without a change or a new order is not stored again; a new date of change alone does not count.
func SaveCard(tx *issuing.Tx,
	customerID int, before, after card.Card, requests ...Request,
) (card.Card, error) {
	entry := issuing.NewCardEntry(after.ID, customerID, issuing.OutcomeUnchanged)
	if !isSame(before, after) {
		entry.Outcome = issuing.OutcomeChanged
		entry.Before, entry.After = audit.Diff(before, after)
	}
	if err := tx.EncryptPeople(after.ID, &entry); err != nil {
		return card.Card{}, err
	}
	requests = ordersFor(tx, before, after, requests)
	after, err := CountIn(tx, after, len(requests))
	if err != nil {
		return card.Card{}, err
	}
	if !isSame(before, after) {
		if err := tx.Cards().Change(before, &after); err != nil {
			return card.Card{}, err
		}
		if err := Put(tx, after, requests); err != nil {
			return card.Card{}, err
		}
	}
	return after, tx.PutEntry(entry)
}

// isSame reports whether two states of a card differ at most in the date of change and the
// revision.
func isSame(before, after card.Card) bool {
	before.Modified, before.Revision = after.Modified, after.Revision
	return before.Equal(&after)
}

// processorOf returns the card processor as the caller of an act on the card of an order.
func processorOf(o order.Order) issuing.Caller {
	return issuing.Caller{
		Actor:     audit.Actor{Kind: audit.Processor, Name: ProcessorName},
		ProgramID: o.ProgramID,
	}
}

// applyReports applies the reports in the answer to an order. It skips what the status of the card
// does not allow.
func applyReports(tx *issuing.Tx, of order.Order, reports []order.Report) error {
	c, err := tx.Cards().Find(of.ProgramID, of.CardID)
	if err != nil {
		return err
	}
	for _, report := range reports {
		after, possible := ruleOf(report.Kind, of.Kind)(c, report.At)
		if !possible {
			continue
		}
		tx.Caller.Route = reportAct(report.Kind)
		c, err = SaveCard(tx, 0, c, after)
		if err != nil {
			return err
		}
	}
	return nil
}
