package sqlstore

import (
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

const listAttempts = `SELECT tried_at FROM attempts WHERE card_id = $1 AND kind = $2
	ORDER BY tried_at DESC LIMIT 0 + $3`

func scanTime(row db.Scan) (time.Time, error) {
	var at time.Time
	err := row(db.Time{To: &at})
	return at, err
}

func (t cards) ListAttempts(
	cardID int, kind store.AttemptKind, limit int,
) ([]time.Time, error) {
	return db.List(t.session, scanTime, listAttempts, cardID, kind, limit)
}

const putAttempt = `INSERT INTO attempts (card_id, kind, tried_at) VALUES ($1, $2, $3)`

// PutAttempt stores the time of the transaction. The rules about attempts use the same time.
func (t cards) PutAttempt(cardID int, kind store.AttemptKind) error {
	now, err := t.session.Now()
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Write(putAttempt, cardID, kind, now.UnixMilli())
}
