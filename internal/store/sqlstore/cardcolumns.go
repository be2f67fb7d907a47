package sqlstore

import (
	"mintmark/internal/card"
	"mintmark/internal/store/sqlstore/db"
)

// A property of a card is a column in each list of this file. A new one goes to the end of each, so
// that the other placeholders keep their numbers.
const cardColumns = `c.card_id, c.program_id, c.customer_id, c.holder_id, c.type, c.vendor,
		c.bin_id, c.status, c.lock_type, c.lock_reason, c.tag, c.nickname,
		c.first_name, c.middle_name, c.last_name, c.qualifier, c.last_four,
		c.expire_month, c.expire_year, c.is_digital_only, c.primary_category,
		c.created_at, c.requested_at, c.verified_at, c.reissued_at, c.denied_at, c.expired_at,
		c.archived_at, c.modified_at, c.revision, c.orders, c.shipped_at`

// cardInto returns where the values of cardColumns go. A *string is copied without reflection.
func cardInto(c *card.Card) []any {
	return []any{&c.ID, &c.ProgramID, &c.CustomerID, &c.HolderID, &c.Type, &c.Vendor, &c.BinID,
		(*string)(&c.Status), (*string)(&c.Lock.Type), (*string)(&c.Lock.Reason),
		&c.Tag, &c.NickName, &c.Name.First, &c.Name.Middle, &c.Name.Last, &c.QualifierCode,
		&c.LastFour, &c.ExpireMonth, &c.ExpireYear, &c.DigitalOnly, (*string)(&c.PrimaryCategory),
		db.Time{To: &c.Created}, db.Time{To: &c.Requested}, db.Time{To: &c.Verified},
		db.Time{To: &c.Reissued}, db.Time{To: &c.Denied}, db.Time{To: &c.Expired},
		db.Time{To: &c.Archived}, db.Time{To: &c.Modified}, &c.Revision, &c.Orders,
		db.Time{To: &c.Shipped}}
}

const (
	insertCard = `INSERT INTO cards (program_id, customer_id, holder_id, type, vendor, bin_id,
			status, lock_type, lock_reason, tag, nickname, nick_key,
			first_name, middle_name, last_name, qualifier, last_four,
			expire_month, expire_year, is_digital_only, primary_category,
			created_at, requested_at, verified_at, reissued_at, denied_at, expired_at,
			archived_at, modified_at, revision, orders, shipped_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)`
	insertCardAs = `INSERT INTO cards (program_id, customer_id, holder_id, type, vendor, bin_id,
			status, lock_type, lock_reason, tag, nickname, nick_key,
			first_name, middle_name, last_name, qualifier, last_four,
			expire_month, expire_year, is_digital_only, primary_category,
			created_at, requested_at, verified_at, reissued_at, denied_at, expired_at,
			archived_at, modified_at, revision, orders, shipped_at, card_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)`
	updateCard = `UPDATE cards SET program_id = $1, customer_id = $2, holder_id = $3, type = $4,
			vendor = $5, bin_id = $6, status = $7, lock_type = $8, lock_reason = $9, tag = $10,
			nickname = $11, nick_key = $12, first_name = $13, middle_name = $14,
			last_name = $15, qualifier = $16, last_four = $17, expire_month = $18,
			expire_year = $19, is_digital_only = $20, primary_category = $21,
			created_at = $22, requested_at = $23, verified_at = $24, reissued_at = $25,
			denied_at = $26, expired_at = $27, archived_at = $28, modified_at = $29,
			revision = $30, orders = $31, shipped_at = $32
		WHERE card_id = $33 AND revision = $34`
)

// cardArgs returns the arguments of the statements above.
func cardArgs(c *card.Card) []any {
	return []any{c.ProgramID, c.CustomerID, c.HolderID, c.Type, c.Vendor, c.BinID,
		string(c.Status), string(c.Lock.Type), string(c.Lock.Reason),
		db.OrNull(c.Tag), c.NickName, card.NickKey(c.NickName),
		c.Name.First, c.Name.Middle, c.Name.Last, c.QualifierCode, c.LastFour,
		c.ExpireMonth, c.ExpireYear, c.DigitalOnly, string(c.PrimaryCategory),
		db.Millis(c.Created), db.Millis(c.Requested), db.Millis(c.Verified),
		db.Millis(c.Reissued), db.Millis(c.Denied), db.Millis(c.Expired),
		db.Millis(c.Archived), db.Millis(c.Modified), c.Revision, c.Orders,
		db.Millis(c.Shipped)}
}
