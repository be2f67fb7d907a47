package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// audit are the rows of the table audit.
type audit struct{ *tx }

// Rows are read in the order in which they were written, not by their time: several can share a
// millisecond. They are never changed, and nothing here could do so.
const listAudit = `SELECT acted_at, key_name, address, route, request_id, program_id, customer_id,
		card_id, outcome, card_before, card_after
	FROM audit WHERE program_id = $1 AND card_id = $2 ORDER BY audit_id DESC LIMIT $3`

func scanAudit(row db.Scan) (store.AuditEntry, error) {
	var a store.AuditEntry
	err := row(db.Time{To: &a.At}, &a.Key, &a.Address, &a.Route, &a.RequestID, &a.ProgramID,
		&a.CustomerID, &a.CardID, &a.Outcome, &a.Before, &a.After)
	return a, err
}

func (t audit) List(programID, cardID, limit int) ([]store.AuditEntry, error) {
	return db.List(t.Session, scanAudit, listAudit, programID, cardID, limit)
}

const putAudit = `INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id,
		customer_id, card_id, outcome, card_before, card_after)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

func (t audit) Put(a store.AuditEntry) error {
	return t.write(putAudit, db.Millis(a.At), a.Key, a.Address, a.Route, a.RequestID, a.ProgramID,
		a.CustomerID, a.CardID, a.Outcome, a.Before, a.After)
}
