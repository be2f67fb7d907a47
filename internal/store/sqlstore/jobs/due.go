package jobs

import (
	"fmt"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Due are the rows of the table notices, and what cards and documents become with time.
type Due struct{ Session db.Session }

// The partial index on Verified cards has the cards of a month together. Locks are no part of it,
// because a lock must not change an index.
const listExpiring = `SELECT card_id FROM cards
	WHERE program_id = $1 AND expire_year = $2 AND expire_month = $3 AND status = 'Verified'
		AND card_id > $4 AND lock_type <> 'SYS' AND lock_reason NOT IN ('FRD', 'LST', 'STL')
	ORDER BY card_id LIMIT 0 + $5`

// ListExpiring lists Verified cards that expire in a month.
func (d Due) ListExpiring(of store.Expiring, limit int) ([]int, error) {
	return db.List(d.Session, func(row db.Scan) (cardID int, err error) {
		err = row(&cardID)
		return cardID, err
	}, listExpiring, of.ProgramID, of.Year, of.Month, of.After, limit)
}

// A moment is told to each program of the bank, which has its own subscribers.
const (
	momentColumns = `d.document_id, d.culture, d.type, COALESCE(p.program_id, 0)`
	momentTables  = `FROM documents d LEFT JOIN programs p ON p.bank_id = d.bank_id`
	hasNoticeOf   = `SELECT 1 FROM notices n WHERE n.subject =
		CAST(d.document_id AS TEXT) || '/' || CAST(COALESCE(p.program_id, 0) AS TEXT)`

	listEffective = `SELECT ` + momentColumns + `, d.effective_at ` + momentTables + `
		WHERE d.effective_at > $1 AND d.effective_at <= $2 AND NOT EXISTS (` + hasNoticeOf + `
			AND n.kind = 'document effective' AND n.moment = d.effective_at)
		ORDER BY d.effective_at, d.document_id, p.program_id LIMIT 0 + $3`
	listExpired = `SELECT ` + momentColumns + `, d.expires_at ` + momentTables + `
		WHERE d.expires_at > $1 AND d.expires_at <= $2 AND NOT EXISTS (` + hasNoticeOf + `
			AND n.kind = 'document expired' AND n.moment = d.expires_at)
		ORDER BY d.expires_at, d.document_id, p.program_id LIMIT 0 + $3`
)

// ListDocuments lists moments of documents that were not told yet.
func (d Due) ListDocuments(
	kind store.NoticeKind, after, until time.Time, limit int,
) ([]store.DocumentMoment, error) {
	text := listEffective
	if kind == store.DocumentExpired {
		text = listExpired
	}
	return db.List(d.Session, func(row db.Scan) (store.DocumentMoment, error) {
		m := store.DocumentMoment{Notice: store.Notice{Kind: kind}}
		err := row(&m.DocumentID, &m.Culture, &m.Type, &m.ProgramID, db.Time{To: &m.Moment})
		m.Subject = fmt.Sprintf("%d/%d", m.DocumentID, m.ProgramID)
		return m, err
	}, text, after.UnixMilli(), until.UnixMilli(), limit)
}

const hasNotice = `SELECT EXISTS (
	SELECT 1 FROM notices WHERE kind = $1 AND subject = $2 AND moment = $3)`

// HasNotice reads the primary key only.
func (d Due) HasNotice(n store.Notice) (bool, error) {
	var there bool
	_, err := db.Find(d.Session, []any{&there}, hasNotice, string(n.Kind), n.Subject,
		n.Moment.UnixMilli())
	return there, err
}

const insertNotice = `INSERT INTO notices (kind, subject, moment, noted_at) VALUES ($1, $2, $3, $4)`

// PutNotice stores a notice with the time of the transaction.
func (d Due) PutNotice(n store.Notice) error {
	now, err := d.Session.Now()
	if err != nil {
		return d.Session.Fail(err)
	}
	return d.Session.Write(insertNotice, string(n.Kind), n.Subject, n.Moment.UnixMilli(),
		now.UnixMilli())
}

// setBack are the statements for a clock that was set back. The claim of an order is left to its
// node.
var setBack = []string{
	`UPDATE orders SET next_try_at = $1
		WHERE state = 'waiting' AND done_at IS NULL AND claimed_by = '' AND next_try_at > $1`,
	`UPDATE deliveries SET next_at = $1 WHERE next_at > $1`,
	`UPDATE attempts SET tried_at = $1 WHERE tried_at > $1`,
	`UPDATE operators SET sessions_since = $1 WHERE sessions_since > $1`,
}

const endSessions = `DELETE FROM console_sessions WHERE expires_at > $1`

// ChangeFuture ends waits and sessions by the time of the transaction.
func (d Due) ChangeFuture() error {
	now, err := d.Session.Now()
	if err != nil {
		return d.Session.Fail(err)
	}
	for _, text := range setBack {
		if err := d.Session.Write(text, now.UnixMilli()); err != nil {
			return err
		}
	}
	return d.Session.Write(endSessions, now.Add(operator.SessionLasts).UnixMilli())
}
