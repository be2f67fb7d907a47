package sqlstore

import (
	"mintmark/internal/audit"
	"mintmark/internal/store/sqlstore/db"
)

// auditLog are the rows of the table audit.
type auditLog struct{ *tx }

// Rows are listed in the order in which they were written: several can share a millisecond.
const listAudit = `SELECT acted_at, actor_kind, key_name, address, route, request_id, reason,
		program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before, card_after
	FROM audit WHERE program_id = $1 AND card_id = $2 ORDER BY audit_id DESC LIMIT 0 + $3`

func scanAudit(row db.Scan) (audit.Entry, error) {
	var e audit.Entry
	var cardID int
	err := row(db.Time{To: &e.At}, &e.Kind, &e.Name, &e.Address, &e.Act, &e.RequestID, &e.Reason,
		&e.ProgramID, &e.CustomerID, &cardID, &e.Subject.Kind, &e.Subject.ID, &e.Outcome,
		&e.Before, &e.After)
	if e.Kind == "" {
		e.Actor = audit.OlderActor(e.Actor)
	}
	if e.Subject.Kind == "" && cardID != 0 {
		e.Subject = audit.Of(audit.Card, cardID)
	}
	return e, err
}

func (t auditLog) List(programID, cardID, limit int) ([]audit.Entry, error) {
	return db.List(t.session, scanAudit, listAudit, programID, cardID, limit)
}

const putAudit = `INSERT INTO audit (acted_at, actor_kind, key_name, address, route, request_id,
		reason, program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before,
		card_after)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

func (t auditLog) Put(e audit.Entry) error {
	return t.session.Write(putAudit, db.Millis(e.At), e.Kind, e.Name, e.Address, e.Act, e.RequestID,
		e.Reason, e.ProgramID, e.CustomerID, e.Subject.Number(audit.Card), e.Subject.Kind,
		e.Subject.ID, e.Outcome, e.Before, e.After)
}
