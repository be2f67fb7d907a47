package sqlstore

import (
	"time"

	"mintmark/internal/store"
)

// The aggregate of no rows is a row too: no attempts, and NULL for the oldest.
const countAttempts = `SELECT COUNT(*), MIN(tried_at) FROM attempts
	WHERE card_id = $1 AND kind = $2 AND tried_at >= $3`

func (r *reader) CountAttempts(
	cardID int, kind store.AttemptKind, since time.Time,
) (int, time.Time, error) {
	var count int
	var oldest time.Time
	err := r.row(countAttempts, cardID, kind, since.UnixMilli())(&count, timeColumn{&oldest})
	return count, oldest, err
}

const putAttempt = `INSERT INTO attempts (card_id, kind, tried_at) VALUES ($1, $2, $3)`

// PutAttempt notes the time of the transaction, so that attempts and what is decided about them go
// by one clock.
func (t *tx) PutAttempt(cardID int, kind store.AttemptKind) error {
	return t.write(putAttempt, cardID, kind, t.now.UnixMilli())
}
