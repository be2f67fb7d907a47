package jobs

import (
	"errors"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/outbox"
)

// Agenda is when rows of several tables will be due.
type Agenda struct{ Session db.Session }

// WaitsSince is since when a card c waits to be verified: since it was shipped, or since it was
// reissued or created, whichever came last.
const WaitsSince = `CASE WHEN c.shipped_at > COALESCE(c.reissued_at, c.created_at)
	THEN c.shipped_at ELSE COALESCE(c.reissued_at, c.created_at) END`

// A card is late as soon as it has waited for longer than the window, a millisecond after its end.
// No card waits since before it was created: the one that waits longest was created by the time
// since which the first one in the index waits, and the query reads the index no further.
const (
	windowMillis = `(p.verification_window_days * 86400000 + 1)`
	waiting      = `FROM cards c WHERE c.program_id = p.program_id
		AND c.status IN ('PendingVerification', 'ReissuePendingVerification')
		AND ` + WaitsSince + ` > $1 - ` + windowMillis
	nextUnverified = `SELECT program_id, moment FROM (SELECT p.program_id,
			(SELECT MIN(` + WaitsSince + `) ` + waiting + ` AND c.created_at <=
				(SELECT ` + WaitsSince + ` ` + waiting + ` ORDER BY c.created_at LIMIT 1)
			) + ` + windowMillis + ` AS moment FROM programs p) AS w
		WHERE moment IS NOT NULL ORDER BY program_id`
)

// NextUnverified finds when windows of cards are over.
func (a Agenda) NextUnverified(after time.Time) ([]store.ProgramMoment, error) {
	return a.list(nextUnverified, after)
}

const nextPin = `SELECT DISTINCT c.program_id, o.created_at
	FROM orders o JOIN cards c ON c.card_id = o.card_id
	WHERE o.sealed_pin IS NOT NULL AND o.created_at = (SELECT MIN(n.created_at) FROM orders n
		WHERE n.sealed_pin IS NOT NULL AND n.created_at > $1)
	ORDER BY c.program_id`

// NextPin finds the oldest orders with a PIN.
func (a Agenda) NextPin(after time.Time) ([]store.ProgramMoment, error) {
	return a.list(nextPin, after)
}

const nextHold = `SELECT program_id, moment FROM (SELECT p.program_id,
		(SELECT MIN(h.ends_at) FROM holds h WHERE h.program_id = p.program_id AND h.ends_at > $1)
		AS moment FROM programs p) AS w
	WHERE moment IS NOT NULL ORDER BY program_id`

// NextHold finds when holds end.
func (a Agenda) NextHold(after time.Time) ([]store.ProgramMoment, error) {
	return a.list(nextHold, after)
}

func (a Agenda) list(text string, after time.Time) ([]store.ProgramMoment, error) {
	return db.List(a.Session, func(row db.Scan) (m store.ProgramMoment, err error) {
		err = row(&m.ProgramID, db.Time{To: &m.Moment})
		return m, err
	}, text, after.UnixMilli())
}

// It reads the index of ListExpiring from the first year on.
const nextExpiring = `SELECT expire_year, expire_month FROM cards
	WHERE program_id = $1 AND expire_year >= $2 AND status = 'Verified'
		AND expire_year * 12 + expire_month - 1 BETWEEN $3 AND $4
		AND lock_type <> 'SYS' AND lock_reason NOT IN ('FRD', 'LST', 'STL')
	ORDER BY expire_year, expire_month LIMIT 1`

// NextExpiring finds the first month in which Verified cards expire.
func (a Agenda) NextExpiring(
	in store.ExpiringMonths,
) (year, month int, found bool, err error) {
	const months = 12
	found, err = db.Find(a.Session, []any{&year, &month}, nextExpiring, in.ProgramID,
		in.First/months, in.First, in.Last)
	return year, month, found, err
}

const (
	nextEffective    = `SELECT MIN(effective_at) FROM documents WHERE effective_at > $1`
	nextExpiry       = `SELECT MIN(expires_at) FROM documents WHERE expires_at > $1`
	nextAnswer       = `SELECT MIN(answered_at) FROM replays WHERE answered_at > $1`
	nextOfOperators  = `SELECT MIN(answered_at) FROM operator_answers WHERE answered_at > $1`
	nextUnreadResult = `SELECT MIN(ended_at) FROM approvals
		WHERE result IS NOT NULL AND ended_at > $1`
)

// NextDocument finds the next date of a document.
func (a Agenda) NextDocument(after time.Time) (time.Time, error) {
	return a.first(after, nextEffective, nextExpiry)
}

// NextAnswer finds the oldest answer to a caller or an operator.
func (a Agenda) NextAnswer(after time.Time) (time.Time, error) {
	return a.first(after, nextAnswer, nextOfOperators, nextUnreadResult)
}

// NextOrder finds the next try of an order.
func (a Agenda) NextOrder(after time.Time) (time.Time, error) {
	return a.first(after, outbox.NextUrgent, outbox.NextOther)
}

// first returns the earliest moment that queries find.
func (a Agenda) first(after time.Time, texts ...string) (time.Time, error) {
	var earliest time.Time
	var errs []error
	for _, text := range texts {
		var moment time.Time
		_, err := db.Find(a.Session, []any{db.Time{To: &moment}}, text, after.UnixMilli())
		errs = append(errs, err)
		if earliest.IsZero() || !moment.IsZero() && moment.Before(earliest) {
			earliest = moment
		}
	}
	return earliest, errors.Join(errs...)
}
