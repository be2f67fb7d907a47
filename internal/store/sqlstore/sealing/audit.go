// Package sealing holds the SQL of the audit and of its sealed log: the rows of entries, the
// batches in which they were sealed, and the hashes of the tree over them. Which entries a batch
// takes, and what is hashed and signed, is decided elsewhere.
package sealing

import (
	"fmt"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Audit are the rows of the table audit, by the cards that they are about.
type Audit struct {
	Session db.Session
	Digest  func(audit.Entry) []byte // of a row that is put; nil for none
}

// Rows are listed in the order in which they were written: several can share a millisecond.
const listAudit = `SELECT ` + entryColumns + `
	FROM audit WHERE program_id = $1 AND card_id = $2 ORDER BY audit_id DESC LIMIT 0 + $3`

// List returns the entries about a card, newest first.
func (t Audit) List(programID, cardID, limit int) ([]audit.Entry, error) {
	return db.List(t.Session, func(row db.Scan) (audit.Entry, error) {
		found, err := scanEntry(row)
		return found.Entry, err
	}, listAudit, programID, cardID, limit)
}

const putAudit = `INSERT INTO audit (acted_at, actor_kind, key_name, address, route, request_id,
		reason, program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before,
		card_after, digest, bank_id, actor_id)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

// Put inserts a row with its digest.
func (t Audit) Put(e audit.Entry) error {
	e = e.Clean()
	var digest []byte
	if t.Digest != nil {
		digest = t.Digest(e)
	}
	return t.Session.Write(putAudit, db.Millis(e.At), e.Kind, e.Name, e.Address, e.Act, e.RequestID,
		e.Reason, e.ProgramID, e.CustomerID, e.Subject.Number(audit.Card), e.Subject.Kind,
		e.Subject.ID, e.Outcome, e.Before, e.After, db.OrNull(digest), e.BankID,
		e.Actor.ID)
}

const entryColumns = `audit_id, digest, acted_at, actor_kind, key_name, address, route, request_id,
		reason, program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before,
		card_after, bank_id, actor_id`

// scanEntry reads a row of entryColumns.
func scanEntry(row db.Scan) (store.LogEntry, error) {
	var e store.LogEntry
	var cardID int
	err := row(&e.Row, &e.Digest, db.Time{To: &e.At}, &e.Kind, &e.Name, &e.Address, &e.Act,
		&e.RequestID, &e.Reason, &e.ProgramID, &e.CustomerID, &cardID, &e.Subject.Kind,
		&e.Subject.ID, &e.Outcome, &e.Before, &e.After, &e.BankID,
		&e.Actor.ID)
	if e.Kind == "" {
		e.Actor = audit.OlderActor(e.Actor)
	}
	switch {
	case e.Subject.Kind == "" && cardID != 0:
		e.Subject = audit.Of(audit.Card, cardID)
	case cardID != e.Subject.Number(audit.Card):
		// The row was changed by hand, and would be listed under another card. It reads as what it
		// is not, so that neither its digest nor its hash fits.
		e.Subject.ID = fmt.Sprintf("%s, listed under card %d", e.Subject.ID, cardID)
	}
	return e, err
}
