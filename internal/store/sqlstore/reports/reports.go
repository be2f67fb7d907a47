// Package reports holds the SQL of the reports of the card processor. Package sqlstore hands it out
// as a part of its transactions.
package reports

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Reports are the rows of the table reports.
type Reports struct{ session db.Session }

var _ store.Reports = Reports{}

// New returns the reports of a transaction.
func New(s db.Session) Reports { return Reports{s} }

const (
	reportColumns = `report_id, order_id, card_id, kind, reported_at, reason, program_id,
		received_at, result, why`
	findReport = `SELECT ` + reportColumns + ` FROM reports WHERE report_id = $1`
	listByCard = `SELECT ` + reportColumns + ` FROM reports WHERE card_id = $1
		ORDER BY received_at DESC, report_id DESC LIMIT 0 + $2`
	listIgnored = `SELECT ` + reportColumns + ` FROM reports WHERE result = 'ignored'
		ORDER BY received_at DESC, report_id DESC LIMIT 0 + $1`
	findProgram = `SELECT program_id FROM cards WHERE card_id = $1`
)

func scan(row db.Scan) (store.ReceivedReport, error) {
	var r store.ReceivedReport
	err := row(&r.ID, &r.OrderID, &r.CardID, &r.Kind, db.Time{To: &r.At}, &r.Reason, &r.ProgramID,
		db.Time{To: &r.Received}, &r.Result, &r.Why)
	return r, err
}

// Find returns the report of an identifier.
func (t Reports) Find(reportID string) (store.ReceivedReport, error) {
	found, err := db.List(t.session, scan, findReport, reportID)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.ReceivedReport{}, err
	}
	return found[0], nil
}

// FindProgram asks the table of cards, because a report names no program.
func (t Reports) FindProgram(cardID int) (int, error) {
	var programID int
	found, err := db.Find(t.session, []any{&programID}, findProgram, cardID)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return programID, err
}

// ListByCard returns the newest reports about a card.
func (t Reports) ListByCard(cardID, limit int) ([]store.ReceivedReport, error) {
	return db.List(t.session, scan, listByCard, cardID, limit)
}

// ListIgnored returns the newest reports that were ignored.
func (t Reports) ListIgnored(limit int) ([]store.ReceivedReport, error) {
	return db.List(t.session, scan, listIgnored, limit)
}

const insertReport = `INSERT INTO reports (` + reportColumns + `)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// Put keeps a report. It does not look for one of the same identifier: the primary key does, and so
// two reports about different cards have no page in common that one of them reads.
func (t Reports) Put(r store.ReceivedReport) error {
	return t.session.Write(insertReport, r.ID, r.OrderID, r.CardID, string(r.Kind),
		db.Millis(r.At), r.Reason, r.ProgramID, db.Millis(r.Received), string(r.Result), r.Why)
}
