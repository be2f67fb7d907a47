package sqlstore

import (
	"slices"

	"mintmark/internal/card"
	"mintmark/internal/customer"
)

// slot is a row of the table: the account that a card draws on at one priority.
type slot struct {
	cardID    int
	category  card.Category
	priority  int
	accountID int
}

func scanSlot(row scan) (slot, error) {
	var s slot
	err := row(&s.cardID, &s.category, &s.priority, &s.accountID)
	return s, err
}

const selectSlots = `SELECT card_id, category, priority, account_id FROM card_slots `

func (r *reader) findSlots(cardID int) (card.Slots, error) {
	rows, err := list(r, scanSlot, selectSlots+`WHERE card_id = $1`, cardID)
	if err != nil {
		return card.Slots{}, err
	}
	return gather(rows)[cardID], nil
}

// slotsOf is the query for the slots of the cards for which a condition holds.
func slotsOf(where string) string {
	return selectSlots + `WHERE card_id IN (SELECT card_id FROM cards ` + where + `)`
}

// gather puts rows on their cards.
func gather(rows []slot) map[int]card.Slots {
	slots := make(map[int]card.Slots)
	for _, row := range rows {
		s := slots[row.cardID]
		putSlot(&s, row.category, row.priority, row.accountID)
		slots[row.cardID] = s
	}
	return slots
}

// putSlot puts an account on a card at its priority, which counts from 1 on.
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

// putSlots replaces the slots of a card. Most changes of a card leave them alone, and then so
// does this: a card is read far more often than its accounts change.
func (t *tx) putSlots(cardID int, slots card.Slots) error {
	var before card.Slots
	if stored, known := t.sighted(cardID); known {
		before = stored.Slots
	} else {
		var err error
		before, err = t.findSlots(cardID)
		if err != nil {
			return err
		}
	}
	if sameSlots(before, slots) {
		return nil
	}
	if len(before.Checking)+len(before.Savings) > 0 {
		if err := t.write(deleteSlots, cardID); err != nil {
			return err
		}
	}
	for _, category := range card.Categories {
		for i, accountID := range slots.Of(category) {
			if err := t.write(insertSlot, cardID, category, i+1, accountID); err != nil {
				return err
			}
		}
	}
	return nil
}

func sameSlots(a, b card.Slots) bool {
	return slices.Equal(a.Checking, b.Checking) && slices.Equal(a.Savings, b.Savings)
}
