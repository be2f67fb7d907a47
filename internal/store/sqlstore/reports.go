package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// reports implements store.Reports on the table reports.
type reports struct{ *tx }

var _ store.Reports = reports{}

const (
	reportColumns = `report_id, order_id, card_id, kind, reported_at, reason, program_id,
		received_at, result, why`
	findReport        = `SELECT ` + reportColumns + ` FROM reports WHERE report_id = $1`
	findReports       = `SELECT ` + reportColumns + ` FROM reports WHERE report_id IN `
	listReportsOfCard = `SELECT ` + reportColumns + ` FROM reports WHERE card_id = $1
		ORDER BY received_at DESC, report_id DESC LIMIT 0 + $2`
	listIgnoredReports = `SELECT ` + reportColumns + ` FROM reports WHERE result = 'ignored'
		ORDER BY received_at DESC, report_id DESC LIMIT 0 + $1`
	findProgramOfCard = `SELECT program_id FROM cards WHERE card_id = $1`
)

func scanReport(row db.Scan) (store.ReceivedReport, error) {
	var r store.ReceivedReport
	err := row(&r.ID, &r.OrderID, &r.CardID, &r.Kind, db.Time{To: &r.At}, &r.Reason, &r.ProgramID,
		db.Time{To: &r.Received}, &r.Result, &r.Why)
	return r, err
}

func (t reports) Find(reportID string) (store.ReceivedReport, error) {
	return db.One(t.session, scanReport, findReport, reportID)
}

func (t reports) FindMany(reportIDs []string) ([]store.ReceivedReport, error) {
	return db.FindMany(t.session, scanReport, findReports, reportIDs)
}

// FindProgram queries the table cards, because a report names no program.
func (t reports) FindProgram(cardID int) (int, error) {
	var programID int
	err := t.find([]any{&programID}, findProgramOfCard, cardID)
	return programID, err
}

// ListByCard returns the newest reports about a card.
func (t reports) ListByCard(cardID, limit int) ([]store.ReceivedReport, error) {
	return db.List(t.session, scanReport, listReportsOfCard, cardID, limit)
}

// ListIgnored returns the newest ignored reports.
func (t reports) ListIgnored(limit int) ([]store.ReceivedReport, error) {
	return db.List(t.session, scanReport, listIgnoredReports, limit)
}

const insertReport = `INSERT INTO reports (` + reportColumns + `)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// Put stores a report. The primary key rejects a duplicate identifier, so Put does not look for
// one, and two reports about different cards have no index page in common that one of them reads.
func (t reports) Put(r store.ReceivedReport) error {
	return t.session.Write(insertReport, r.ID, r.OrderID, r.CardID, string(r.Kind),
		db.Millis(r.At), r.Reason, r.ProgramID, db.Millis(r.Received), string(r.Result), r.Why)
}
