package sqlstore

import (
	"fmt"
	"strings"

	"mintmark/internal/domain/card"
	"mintmark/internal/store/sqlstore/db"
)

// The columns of a card except its ID. cardInto and cardArgs list the fields in the same order. The
// attributes come last, in the order of card.AttributeRules.
const (
	// creationFields lists the columns that describe a card as it was created. A statement that
	// leaves them out saves the work for their foreign keys and for most of the indexes.
	creationFields = `program_id, customer_id, holder_id, type, vendor, bin_id, tag, nickname,
		first_name, middle_name, last_name, is_digital_only, created_at, replaces`
	stateFields = `status, lock_type, lock_reason, last_four,
		expire_month, expire_year, primary_category,
		requested_at, verified_at, reissued_at, denied_at, expired_at,
		archived_at, modified_at, revision, orders, shipped_at, replaced_by, qualifier`
	cardFields = creationFields + `, ` + stateFields
	// writtenFields has one more column, which only the unique index on nicknames reads.
	writtenFields = `nick_key, ` + cardFields
)

var (
	// cardColumns lists the columns for a query that calls the table c.
	cardColumns   = `c.card_id, c.` + strings.Join(strings.Fields(cardFields), ` c.`)
	written       = strings.Count(writtenFields, `,`) + 1
	createdFields = written - strings.Count(stateFields, `,`) - 1 // nick_key and creationFields
	insertCard    = `INSERT INTO cards (` + writtenFields + `) VALUES ` + db.Places(written)
	insertCardAs  = `INSERT INTO cards (` + writtenFields + `, card_id)
		VALUES ` + db.Places(written+1)
	updateCard  = `UPDATE cards SET (` + writtenFields + `)` + newValues(written)
	updateState = `UPDATE cards SET (` + stateFields + `)` + newValues(written-createdFields)
)

// newValues returns the end of an UPDATE that sets the given number of columns in one revision of a
// card.
func newValues(columns int) string {
	return ` = ` + db.Places(columns) +
		fmt.Sprintf(` WHERE card_id = $%d AND revision = $%d`, columns+1, columns+2)
}

// cardInto returns the scan destinations for cardColumns. Fields based on string are passed as
// *string, which is copied without reflection.
func cardInto(c *card.Card) []any {
	into := append(make([]any, 0, written),
		&c.ID, &c.ProgramID, &c.CustomerID, &c.HolderID, &c.Type, &c.Vendor, &c.BinID,
		&c.Tag, &c.NickName, &c.Name.First, &c.Name.Middle, &c.Name.Last, &c.DigitalOnly,
		db.Time{To: &c.Created}, &c.Replaces,
		(*string)(&c.Status), (*string)(&c.Lock.Type), (*string)(&c.Lock.Reason), &c.LastFour,
		&c.ExpireMonth, &c.ExpireYear, (*string)(&c.PrimaryCategory),
		db.Time{To: &c.Requested}, db.Time{To: &c.Verified},
		db.Time{To: &c.Reissued}, db.Time{To: &c.Denied}, db.Time{To: &c.Expired},
		db.Time{To: &c.Archived}, db.Time{To: &c.Modified}, &c.Revision, &c.Orders,
		db.Time{To: &c.Shipped}, &c.ReplacedBy)
	for _, rule := range card.AttributeRules {
		into = append(into, rule.At(&c.Attributes))
	}
	return into
}

// cardArgs returns the values of writtenFields, with capacity for the arguments after them.
func cardArgs(c *card.Card) []any {
	args := append(make([]any, 0, written+2), card.NickKey(c.NickName),
		c.ProgramID, c.CustomerID, c.HolderID, c.Type, c.Vendor, c.BinID,
		db.OrNull(c.Tag), c.NickName, c.Name.First, c.Name.Middle, c.Name.Last, c.DigitalOnly,
		db.Millis(c.Created), c.Replaces,
		string(c.Status), string(c.Lock.Type), string(c.Lock.Reason), c.LastFour,
		c.ExpireMonth, c.ExpireYear, string(c.PrimaryCategory),
		db.Millis(c.Requested), db.Millis(c.Verified),
		db.Millis(c.Reissued), db.Millis(c.Denied), db.Millis(c.Expired),
		db.Millis(c.Archived), db.Millis(c.Modified), c.Revision, c.Orders,
		db.Millis(c.Shipped), c.ReplacedBy)
	attributes := c.Attributes // without the copy, the whole card would escape to the heap
	for _, rule := range card.AttributeRules {
		args = append(args, *rule.At(&attributes))
	}
	return args
}
