package sqlstore

import "mintmark/internal/store"

// Rows are read in the order in which they were written, not by their time: several can share a
// millisecond. They are never changed, and nothing here could do so.
const listAudit = `SELECT acted_at, key_name, address, route, request_id, program_id, customer_id,
		card_id, outcome, card_before, card_after
	FROM audit WHERE program_id = $1 AND card_id = $2 ORDER BY audit_id DESC LIMIT $3`

func scanAudit(row scan) (store.Audit, error) {
	var a store.Audit
	err := row(timeColumn{&a.At}, &a.Key, &a.Address, &a.Route, &a.RequestID, &a.ProgramID,
		&a.CustomerID, &a.CardID, &a.Outcome, &a.Before, &a.After)
	return a, err
}

func (r *reader) ListAudit(programID, cardID, limit int) ([]store.Audit, error) {
	return list(r, scanAudit, listAudit, programID, cardID, limit)
}

const putAudit = `INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id,
		customer_id, card_id, outcome, card_before, card_after)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

func (t *tx) PutAudit(a store.Audit) error {
	return t.write(putAudit, millis(a.At), a.Key, a.Address, a.Route, a.RequestID, a.ProgramID,
		a.CustomerID, a.CardID, a.Outcome, a.Before, a.After)
}
