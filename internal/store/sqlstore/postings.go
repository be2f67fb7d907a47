package sqlstore

import (
	"mintmark/internal/domain/authorization"
	"mintmark/internal/store/sqlstore/db"
)

// postings implements store.Postings on the table postings.
type postings struct{ *tx }

const findPosting = `SELECT posting_id, request_digest, hold_id, program_id, customer_id, card_id,
		account_id, kind, amount, posted_at
	FROM postings WHERE posting_id = $1`

func (t postings) Find(id string) (authorization.Posting, error) {
	var p authorization.Posting
	err := t.find([]any{&p.ID, &p.Digest, &p.HoldID, &p.ProgramID, &p.CustomerID, &p.CardID,
		&p.AccountID, &p.Kind, &p.Amount.TenThousandths, db.Time{To: &p.Posted}}, findPosting, id)
	if err != nil {
		return authorization.Posting{}, err
	}
	return p, nil
}

const putPosting = `INSERT INTO postings (posting_id, request_digest, hold_id, program_id,
		customer_id, card_id, account_id, kind, amount, posted_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

func (t postings) Put(p authorization.Posting) error {
	return t.session.Write(putPosting, p.ID, db.OrEmpty(p.Digest), p.HoldID, p.ProgramID,
		p.CustomerID,
		p.CardID, p.AccountID, string(p.Kind), p.Amount.TenThousandths, db.Millis(p.Posted))
}
