package sqlstore

import (
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// putSlot stores an account in the slot of its priority, counted from 1.
func putSlot(s *card.Slots, category card.Category, priority, accountID int) {
	at := &s.Checking
	if category == customer.Savings {
		at = &s.Savings
	}
	for len(*at) < priority {
		*at = append(*at, 0)
	}
	(*at)[priority-1] = accountID
}

const (
	deleteSlots = `DELETE FROM card_slots WHERE card_id = $1`
	insertSlot  = `INSERT INTO card_slots (card_id, category, priority, account_id)
		VALUES ($1, $2, $3, $4)`
)

// putSlots replaces the slots of a card, unless they are unchanged.
func (t *tx) putSlots(cardID int, before, after card.Slots) error {
	if before.Equal(after) {
		return nil
	}
	if len(before.Checking)+len(before.Savings) > 0 {
		if err := t.session.Write(deleteSlots, cardID); err != nil {
			return err
		}
	}
	for _, category := range card.Categories {
		for i, accountID := range after.Of(category) {
			if err := t.session.Write(insertSlot, cardID, category, i+1, accountID); err != nil {
				return err
			}
		}
	}
	return nil
}
