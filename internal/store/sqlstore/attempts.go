package sqlstore

import (
	"time"

	"mintmark/internal/store"
)

// Only the newest are ever read: how many there may be is a small number.
const listAttempts = `SELECT tried_at FROM attempts WHERE card_id = $1 AND kind = $2
	ORDER BY tried_at DESC LIMIT $3`

func scanTime(row scan) (time.Time, error) {
	var at time.Time
	err := row(timeColumn{&at})
	return at, err
}

const putAttempt = `INSERT INTO attempts (card_id, kind, tried_at) VALUES ($1, $2, $3)`

// PutAttempt notes the time of the transaction, so that attempts and what is decided about them go
// by one clock.
func (t *tx) PutAttempt(cardID int, kind store.AttemptKind) error {
	now, err := t.began()
	if err != nil {
		return t.failed(err)
	}
	return t.write(putAttempt, cardID, kind, now.UnixMilli())
}
