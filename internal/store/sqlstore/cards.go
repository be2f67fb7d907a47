package sqlstore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// cards are the rows of the table cards, with those of card_slots. How they are read together with
// what surrounds them stands in cardview.go.
type cards struct{ *tx }

// A property of a card is a column in the five places that follow: cardColumns, cardInto,
// insertCard, updateCard and cardArgs.
const cardColumns = `c.card_id, c.program_id, c.customer_id, c.holder_id, c.type, c.vendor,
		c.bin_id, c.status, c.lock_type, c.lock_reason, c.tag, c.nickname,
		c.first_name, c.middle_name, c.last_name, c.qualifier, c.last_four,
		c.expire_month, c.expire_year, c.is_digital_only, c.primary_category,
		c.created_at, c.requested_at, c.verified_at, c.reissued_at, c.denied_at, c.expired_at,
		c.archived_at, c.modified_at, c.revision`

// cardInto is where the values of cardColumns go.
func cardInto(c *card.Card) []any {
	return []any{&c.ID, &c.ProgramID, &c.CustomerID, &c.HolderID, &c.Type, &c.Vendor, &c.BinID,
		&c.Status, &c.Lock.Type, &c.Lock.Reason, &c.Tag, &c.NickName,
		&c.Name.First, &c.Name.Middle, &c.Name.Last, &c.Qualifier, &c.LastFour,
		&c.ExpireMonth, &c.ExpireYear, &c.DigitalOnly, &c.PrimaryCategory,
		db.Time{To: &c.Created}, db.Time{To: &c.Requested}, db.Time{To: &c.Verified},
		db.Time{To: &c.Reissued}, db.Time{To: &c.Denied}, db.Time{To: &c.Expired},
		db.Time{To: &c.Archived}, db.Time{To: &c.Modified}, &c.Revision}
}

const (
	insertCard = `INSERT INTO cards (program_id, customer_id, holder_id, type, vendor, bin_id,
			status, lock_type, lock_reason, tag, nickname, nick_key,
			first_name, middle_name, last_name, qualifier, last_four,
			expire_month, expire_year, is_digital_only, primary_category,
			created_at, requested_at, verified_at, reissued_at, denied_at, expired_at,
			archived_at, modified_at, revision)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)`
	insertCardAs = `INSERT INTO cards (program_id, customer_id, holder_id, type, vendor, bin_id,
			status, lock_type, lock_reason, tag, nickname, nick_key,
			first_name, middle_name, last_name, qualifier, last_four,
			expire_month, expire_year, is_digital_only, primary_category,
			created_at, requested_at, verified_at, reissued_at, denied_at, expired_at,
			archived_at, modified_at, revision, card_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)`
	updateCard = `UPDATE cards SET program_id = $1, customer_id = $2, holder_id = $3, type = $4,
			vendor = $5, bin_id = $6, status = $7, lock_type = $8, lock_reason = $9, tag = $10,
			nickname = $11, nick_key = $12, first_name = $13, middle_name = $14,
			last_name = $15, qualifier = $16, last_four = $17, expire_month = $18,
			expire_year = $19, is_digital_only = $20, primary_category = $21,
			created_at = $22, requested_at = $23, verified_at = $24, reissued_at = $25,
			denied_at = $26, expired_at = $27, archived_at = $28, modified_at = $29,
			revision = $30
		WHERE card_id = $31 AND revision = $32`
)

// cardArgs are the values of the statements above.
func cardArgs(c *card.Card) []any {
	return []any{c.ProgramID, c.CustomerID, c.HolderID, c.Type, c.Vendor, c.BinID,
		string(c.Status), string(c.Lock.Type), string(c.Lock.Reason),
		db.OrNull(c.Tag), c.NickName, nickKey(c.NickName),
		c.Name.First, c.Name.Middle, c.Name.Last, c.Qualifier, c.LastFour,
		c.ExpireMonth, c.ExpireYear, c.DigitalOnly, string(c.PrimaryCategory),
		db.Millis(c.Created), db.Millis(c.Requested), db.Millis(c.Verified),
		db.Millis(c.Reissued), db.Millis(c.Denied), db.Millis(c.Expired),
		db.Millis(c.Archived), db.Millis(c.Modified), c.Revision}
}

// A lock and its removal are most of all changes, and touch none of the columns that are in an
// index or refer to another table: SQLite would check and write each of those again.
const updateLock = `UPDATE cards SET lock_type = $1, lock_reason = $2, modified_at = $3,
		revision = $4
	WHERE card_id = $5 AND revision = $6`

// lockArgs are the places of these columns among cardArgs.
var lockArgs = [...]int{7, 8, 28, 29}

// nickKey is what two nicknames share that differ in letter case only. It is made here, because
// databases do not agree on the lower case of letters beyond ASCII.
func nickKey(nickName string) string { return strings.ToLower(nickName) }

const findCard = `SELECT ` + cardColumns + `
	FROM cards c WHERE c.program_id = $1 AND c.card_id = $2`

func (t cards) Find(programID, cardID int) (card.Card, error) {
	var c card.Card
	var rows []slot
	err := t.Query(
		db.Row(cardInto(&c), findCard, programID, cardID),
		db.Rows(&rows, scanSlot, listSlots, cardID))
	if err == nil && c.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return card.Card{}, err
	}
	c.Slots = slotsOf(rows)[c.ID]
	return c, nil
}

// A card that was made anew waits since then. The statuses are written out, because only then
// does the index on cards that wait serve the query.
const (
	whereUnverified = `WHERE program_id = $1
			AND status IN ('PendingVerification', 'ReissuePendingVerification')
			AND created_at < $2 AND COALESCE(reissued_at, created_at) < $2
		ORDER BY COALESCE(reissued_at, created_at), card_id LIMIT $3`
	listUnverified      = `SELECT ` + cardColumns + ` FROM cards c ` + whereUnverified
	listUnverifiedSlots = `SELECT card_id, category, priority, account_id FROM card_slots
		WHERE card_id IN (SELECT card_id FROM cards ` + whereUnverified + `)`
)

func (t cards) ListUnverified(
	programID int, before time.Time, limit int,
) ([]card.Card, error) {
	var found []card.Card
	var rows []slot
	args := []any{programID, before.UnixMilli(), limit}
	err := t.Query(
		db.Rows(&found, scanCard, listUnverified, args...),
		db.Rows(&rows, scanSlot, listUnverifiedSlots, args...))
	if err != nil {
		return nil, err
	}
	slots := slotsOf(rows)
	for i, c := range found {
		found[i].Slots = slots[c.ID]
	}
	return found, nil
}

func scanCard(row db.Scan) (card.Card, error) {
	var c card.Card
	err := row(cardInto(&c)...)
	return c, err
}

// cardID is the number of a card.
var cardID = db.Serial{Table: "cards", Column: "card_id"}

// Put leaves the card that it is given as it is until everything is written.
func (t cards) Put(c *card.Card) error {
	if !t.run.writes {
		return store.ErrReadOnly
	}
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

// insert inserts a card under its number, or under the next when it has none.
func (t cards) insert(c *card.Card) (err error) {
	args := cardArgs(c)
	if c.ID != 0 {
		return cmp.Or(t.write(insertCardAs, append(args, c.ID)...), t.KeepUp(cardID, c.ID))
	}
	c.ID, err = t.Insert(cardID, insertCard, args...)
	return err
}

func (t cards) Change(before card.Card, after *card.Card) error {
	next := *after
	next.Revision = before.Revision + 1
	text, args := updateFor(&before, &next)
	err := t.change(text, append(args, next.ID, before.Revision)...)
	if err == nil {
		err = t.putSlots(next.ID, before.Slots, next.Slots)
	}
	if err != nil {
		return err
	}
	after.Revision = next.Revision
	return nil
}

// updateFor is the statement that writes all columns in which a card has changed, and perhaps
// others.
func updateFor(before, after *card.Card) (text string, args []any) {
	was, all := cardArgs(before), cardArgs(after)
	for i := range all {
		if all[i] != was[i] && !slices.Contains(lockArgs[:], i) {
			return updateCard, all
		}
	}
	for _, i := range lockArgs {
		args = append(args, all[i])
	}
	return updateLock, args
}
