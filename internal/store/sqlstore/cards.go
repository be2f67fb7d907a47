package sqlstore

import (
	"slices"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// cards implements store.Cards on the tables cards and card_slots. The queries that also read the
// customer and the accounts are in cardview.go.
type cards struct{ *tx }

// Most changes lock or unlock a card. This statement leaves out the columns with an index or a
// foreign key, because SQLite checks each of those again if a statement names it.
const updateLock = `UPDATE cards SET lock_type = $1, lock_reason = $2, modified_at = $3,
		revision = $4, orders = $5
	WHERE card_id = $6 AND revision = $7`

// A card is read as a row for each of its slots, or one row if it has none. The statuses are
// literals, because the partial index on waiting cards serves only a query that names the same
// ones.
var (
	findCard = `SELECT ` + cardColumns + `, s.category, s.priority, s.account_id
		FROM cards c LEFT JOIN card_slots s ON s.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id = $2`
	listUnverified = `SELECT ` + cardColumns + `, s.category, s.priority, s.account_id
		FROM cards c LEFT JOIN card_slots s ON s.card_id = c.card_id
		WHERE c.card_id IN (SELECT c.card_id FROM cards c WHERE c.program_id = $1
				AND c.status IN ('PendingVerification', 'ReissuePendingVerification')
				AND c.created_at < $2 AND ` + waitsSince + ` < $2
			ORDER BY ` + waitsSince + `, c.card_id LIMIT 0 + $3)
		ORDER BY ` + waitsSince + `, c.card_id`
	listCards = `SELECT ` + cardColumns + `, s.category, s.priority, s.account_id
		FROM cards c LEFT JOIN card_slots s ON s.card_id = c.card_id
		WHERE c.card_id IN (SELECT c.card_id FROM cards c WHERE c.program_id = $1
			AND c.card_id > $2 ORDER BY c.card_id LIMIT 0 + $3)
		ORDER BY c.card_id`
)

func (t cards) Find(programID, cardID int) (card.Card, error) {
	var rows cardRows
	err := t.session.Query(rows.queryCards(findCard, programID, cardID))
	if err == nil && len(rows.cards) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return card.Card{}, err
	}
	return rows.cards[0], nil
}

func (t cards) ListUnverified(
	programID int, before time.Time, limit int,
) ([]card.Card, error) {
	var rows cardRows
	err := t.session.Query(rows.queryCards(listUnverified, programID, before.UnixMilli(), limit))
	return rows.cards, err
}

func (t cards) ListOfProgram(programID, after, limit int) ([]card.Card, error) {
	var rows cardRows
	err := t.session.Query(rows.queryCards(listCards, programID, after, limit))
	return rows.cards, err
}

var cardID = db.Serial{Table: "cards", Column: "card_id"}

// Put sets the ID and the revision of the card only after everything is written.
func (t cards) Put(c *card.Card) error {
	next := *c
	next.Revision = 1
	err := t.insert(&next)
	if err == nil {
		err = t.putSlots(next.ID, card.Slots{}, next.Slots)
	}
	if err != nil {
		return err
	}
	c.ID, c.Revision = next.ID, next.Revision
	return nil
}

// insert inserts a card under its own ID, or under the next one if its ID is 0.
func (t cards) insert(c *card.Card) (err error) {
	args, numbered := cardArgs(c), c.ID != 0
	if !numbered {
		if c.ID, err = t.session.Number(cardID); err != nil {
			return err
		}
	}
	if c.ID == 0 {
		c.ID, err = t.session.Insert(cardID, insertCard, args...)
		return err
	}
	if err := t.session.Write(insertCardAs, append(args, c.ID)...); err != nil {
		return err
	}
	if numbered {
		if err := t.session.AdvanceSequence(cardID, c.ID); err != nil {
			return err
		}
	}
	return t.session.Write(putLateCard, c.ID)
}

// Change accepts a card whose creation date is in the future: the clock may have been set back
// since.
func (t cards) Change(before card.Card, after *card.Card) error {
	next := *after
	next.Revision = before.Revision + 1
	if next.Modified.Before(next.Created) {
		next.Modified = next.Created
	}
	text, args := updateFor(&before, &next)
	err := t.session.Change(text, append(args, next.ID, before.Revision)...)
	if err == nil {
		err = t.putSlots(next.ID, before.Slots, next.Slots)
	}
	if err != nil {
		return err
	}
	after.Revision, after.Modified = next.Revision, next.Modified
	return nil
}

// updateFor returns the statement with the fewest columns that covers every change.
func updateFor(before, after *card.Card) (text string, args []any) {
	locked := *before
	locked.Lock, locked.Slots = after.Lock, after.Slots
	locked.Modified, locked.Revision = after.Modified, after.Revision
	locked.Orders = after.Orders
	if locked.Equal(after) {
		return updateLock, []any{string(after.Lock.Type), string(after.Lock.Reason),
			db.Millis(after.Modified), after.Revision, after.Orders}
	}
	args = cardArgs(after)
	if slices.Equal(args[:createdFields], cardArgs(before)[:createdFields]) {
		return updateState, args[createdFields:]
	}
	return updateCard, args
}
