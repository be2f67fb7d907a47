package sqlstore

import (
	"fmt"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// due implements store.Due on the table notices, and on the times in other tables at which
// something falls due.
type due struct{ *tx }

// In the partial index on Verified cards, the cards that expire in the same month are adjacent.
// Locks are not part of the index, because a lock must not change an index.
const listExpiringCards = `SELECT card_id FROM cards
	WHERE program_id = $1 AND expire_year = $2 AND expire_month = $3 AND status = 'Verified'
		AND card_id > $4 AND lock_type <> 'SYS' AND lock_reason NOT IN ('FRD', 'LST', 'STL')
	ORDER BY card_id LIMIT 0 + $5`

// ListExpiring returns the Verified cards that expire in a month, by ID.
func (d due) ListExpiring(of store.Expiring, limit int) ([]int, error) {
	return db.List(d.session, func(row db.Scan) (cardID int, err error) {
		err = row(&cardID)
		return cardID, err
	}, listExpiringCards, of.ProgramID, of.Year, of.Month, of.After, limit)
}

// A moment is reported for each program of the bank, because each has its own subscribers.
const (
	momentColumns = `d.document_id, d.culture, d.type, COALESCE(p.program_id, 0)`
	momentTables  = `FROM documents d LEFT JOIN programs p ON p.bank_id = d.bank_id`
	hasNoticeOf   = `SELECT 1 FROM notices n WHERE n.subject =
		CAST(d.document_id AS TEXT) || '/' || CAST(COALESCE(p.program_id, 0) AS TEXT)`

	listEffectiveDocuments = `SELECT ` + momentColumns + `, d.effective_at ` + momentTables + `
		WHERE d.effective_at > $1 AND d.effective_at <= $2 AND NOT EXISTS (` + hasNoticeOf + `
			AND n.kind = 'document effective' AND n.moment = d.effective_at)
		ORDER BY d.effective_at, d.document_id, p.program_id LIMIT 0 + $3`
	listExpiredDocuments = `SELECT ` + momentColumns + `, d.expires_at ` + momentTables + `
		WHERE d.expires_at > $1 AND d.expires_at <= $2 AND NOT EXISTS (` + hasNoticeOf + `
			AND n.kind = 'document expired' AND n.moment = d.expires_at)
		ORDER BY d.expires_at, d.document_id, p.program_id LIMIT 0 + $3`
)

// ListDocuments returns the moments of documents that have no notice yet.
func (d due) ListDocuments(
	kind store.NoticeKind, after, until time.Time, limit int,
) ([]store.DocumentTime, error) {
	text := listEffectiveDocuments
	if kind == store.DocumentExpired {
		text = listExpiredDocuments
	}
	return db.List(d.session, func(row db.Scan) (store.DocumentTime, error) {
		m := store.DocumentTime{Notice: store.Notice{Kind: kind}}
		err := row(&m.DocumentID, &m.Culture, &m.Type, &m.ProgramID, db.Time{To: &m.Moment})
		m.Subject = fmt.Sprintf("%d/%d", m.DocumentID, m.ProgramID)
		return m, err
	}, text, after.UnixMilli(), until.UnixMilli(), limit)
}

const hasNotice = `SELECT EXISTS (
	SELECT 1 FROM notices WHERE kind = $1 AND subject = $2 AND moment = $3)`

// HasNotice reads only the primary key.
func (d due) HasNotice(n store.Notice) (bool, error) {
	var there bool
	_, err := db.Find(d.session, []any{&there}, hasNotice, string(n.Kind), n.Subject,
		n.Moment.UnixMilli())
	return there, err
}

const insertNotice = `INSERT INTO notices (kind, subject, moment, noted_at) VALUES ($1, $2, $3, $4)`

// PutNotice stores a notice with the time of the transaction.
func (d due) PutNotice(n store.Notice) error {
	now, err := d.session.Now()
	if err != nil {
		return d.session.Fail(err)
	}
	return d.session.Write(insertNotice, string(n.Kind), n.Subject, n.Moment.UnixMilli(),
		now.UnixMilli())
}

// setBack holds the statements for a clock that was set back. The claim on an order is left to its
// node, which renews it, unless it lasts longer than any claim: then the node may be gone. Leases
// end, because their nodes may be gone, even though their work may then be done twice.
var setBack = []string{
	`UPDATE leases SET until_at = $1 WHERE until_at > $1`,
	`UPDATE orders SET next_try_at = $1
		WHERE state = 'waiting' AND done_at IS NULL AND claimed_by = '' AND next_try_at > $1`,
	`UPDATE deliveries SET next_at = $1 WHERE next_at > $1`,
	`UPDATE attempts SET tried_at = $1 WHERE tried_at > $1`,
	`UPDATE operators SET sessions_since = $1 WHERE sessions_since > $1`,
}

// maxClaim is longer than any claim on an order lasts unless it is renewed.
const maxClaim = time.Minute

const freeLongClaims = `UPDATE orders SET next_try_at = $1, claimed_by = ''
	WHERE state = 'waiting' AND done_at IS NULL AND claimed_by <> '' AND next_try_at > $2`

const endLongSessions = `DELETE FROM console_sessions WHERE expires_at > $1`

// ChangeFuture ends waits and sessions that lie too far ahead of the time of the transaction.
func (d due) ChangeFuture() error {
	now, err := d.session.Now()
	if err != nil {
		return d.session.Fail(err)
	}
	for _, text := range setBack {
		if err := d.session.Write(text, now.UnixMilli()); err != nil {
			return err
		}
	}
	err = d.session.Write(freeLongClaims, now.UnixMilli(), now.Add(maxClaim).UnixMilli())
	if err != nil {
		return err
	}
	return d.session.Write(endLongSessions, now.Add(operator.SessionLifetime).UnixMilli())
}

// waitsSince is the time since which a card c has been waiting to be verified: when it was shipped,
// or when it was reissued or created, whichever came last.
const waitsSince = `CASE WHEN c.shipped_at > COALESCE(c.reissued_at, c.created_at)
	THEN c.shipped_at ELSE COALESCE(c.reissued_at, c.created_at) END`

// A card is late as soon as it has waited longer than the window: a millisecond after the end of
// the window. No card has been waiting since before it was created. So the card that has been
// waiting longest was created no later than the time since which the first card in the index has
// been waiting, and the query reads the index no further.
const (
	windowMillis = `(p.verification_window_days * 86400000 + 1)`
	cardsWaiting = `FROM cards c WHERE c.program_id = p.program_id
		AND c.status IN ('PendingVerification', 'ReissuePendingVerification')
		AND ` + waitsSince + ` > $1 - ` + windowMillis
	nextUnverified = `SELECT program_id, moment FROM (SELECT p.program_id,
			(SELECT MIN(` + waitsSince + `) ` + cardsWaiting + ` AND c.created_at <=
				(SELECT ` + waitsSince + ` ` + cardsWaiting + ` ORDER BY c.created_at LIMIT 1)
			) + ` + windowMillis + ` AS moment FROM programs p) AS w
		WHERE moment IS NOT NULL ORDER BY program_id`
)

// NextUnverified returns when the verification windows of cards end.
func (d due) NextUnverified(after time.Time) ([]store.ProgramTime, error) {
	return d.list(nextUnverified, after)
}

const nextPin = `SELECT DISTINCT c.program_id, o.created_at
	FROM orders o JOIN cards c ON c.card_id = o.card_id
	WHERE o.sealed_pin IS NOT NULL AND o.created_at = (SELECT MIN(n.created_at) FROM orders n
		WHERE n.sealed_pin IS NOT NULL AND n.created_at > $1)
	ORDER BY c.program_id`

// NextPin returns when the oldest orders with a PIN were written.
func (d due) NextPin(after time.Time) ([]store.ProgramTime, error) {
	return d.list(nextPin, after)
}

const nextHold = `SELECT program_id, moment FROM (SELECT p.program_id,
		(SELECT MIN(h.ends_at) FROM holds h WHERE h.program_id = p.program_id AND h.ends_at > $1)
		AS moment FROM programs p) AS w
	WHERE moment IS NOT NULL ORDER BY program_id`

// NextHold returns when holds end.
func (d due) NextHold(after time.Time) ([]store.ProgramTime, error) {
	return d.list(nextHold, after)
}

func (d due) list(text string, after time.Time) ([]store.ProgramTime, error) {
	return db.List(d.session, func(row db.Scan) (m store.ProgramTime, err error) {
		err = row(&m.ProgramID, db.Time{To: &m.Moment})
		return m, err
	}, text, after.UnixMilli())
}

// nextExpiring reads the index of ListExpiring from the first year on.
const nextExpiring = `SELECT expire_year, expire_month FROM cards
	WHERE program_id = $1 AND expire_year >= $2 AND status = 'Verified'
		AND expire_year * 12 + expire_month - 1 BETWEEN $3 AND $4
		AND lock_type <> 'SYS' AND lock_reason NOT IN ('FRD', 'LST', 'STL')
	ORDER BY expire_year, expire_month LIMIT 1`

// NextExpiring returns the first month in which Verified cards expire.
func (d due) NextExpiring(
	in store.ExpiringMonths,
) (year, month int, ok bool, err error) {
	const months = 12
	ok, err = db.Find(d.session, []any{&year, &month}, nextExpiring, in.ProgramID,
		in.First/months, in.First, in.Last)
	return year, month, ok, err
}

const (
	nextEffective      = `SELECT MIN(effective_at) FROM documents WHERE effective_at > $1`
	nextExpiry         = `SELECT MIN(expires_at) FROM documents WHERE expires_at > $1`
	nextCallerAnswer   = `SELECT MIN(answered_at) FROM replays WHERE answered_at > $1`
	nextOperatorAnswer = `SELECT MIN(answered_at) FROM operator_answers WHERE answered_at > $1`
	nextUnreadResult   = `SELECT MIN(ended_at) FROM approvals
		WHERE result IS NOT NULL AND ended_at > $1`
)

// NextDocument returns the next date at which a document comes into force or expires.
func (d due) NextDocument(after time.Time) (time.Time, error) {
	return d.first(after, nextEffective, nextExpiry)
}

// NextAnswer returns when the oldest stored answer to a caller or an operator was given.
func (d due) NextAnswer(after time.Time) (time.Time, error) {
	return d.first(after, nextCallerAnswer, nextOperatorAnswer, nextUnreadResult)
}

// NextOrder returns the time of the next try of an order.
func (d due) NextOrder(after time.Time) (time.Time, error) {
	return d.first(after, nextUrgentOrder, nextOtherOrder)
}

// first returns the earliest time that the queries find.
func (d due) first(after time.Time, texts ...string) (time.Time, error) {
	var earliest time.Time
	for _, text := range texts {
		var moment time.Time
		_, err := db.Find(d.session, []any{db.Time{To: &moment}}, text, after.UnixMilli())
		if err != nil {
			return time.Time{}, err
		}
		if earliest.IsZero() || !moment.IsZero() && moment.Before(earliest) {
			earliest = moment
		}
	}
	return earliest, nil
}
