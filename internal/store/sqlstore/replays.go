package sqlstore

import (
	"time"

	"mintmark/internal/store"
)

const findReplay = `SELECT key_name, route, idempotency_key, body_digest, http_status, answer,
		answered_at
	FROM replays WHERE key_name = $1 AND route = $2 AND idempotency_key = $3`

func (r *reader) FindReplay(scope store.ReplayScope) (store.Replay, error) {
	var found store.Replay
	err := r.row(findReplay, scope.APIKey, scope.Route, scope.Key)(&found.APIKey, &found.Route,
		&found.Key, &found.BodyDigest, &found.HTTP, &found.Answer, timeColumn{&found.At})
	if err != nil {
		return store.Replay{}, err
	}
	return found, nil
}

// There is no ON CONFLICT: when two nodes have done the same request, the second must learn of it
// and lose what it did.
const putReplay = `INSERT INTO replays (key_name, route, idempotency_key, body_digest, http_status,
		answer, answered_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

func (t *tx) PutReplay(r store.Replay) error {
	return t.write(putReplay, r.APIKey, r.Route, r.Key, orEmpty(r.BodyDigest), r.HTTP,
		orEmpty(r.Answer), millis(r.At))
}

// The oldest go first: they lie side by side in the table and in the index by time.
const dropReplays = `DELETE FROM replays WHERE (key_name, route, idempotency_key) IN (
		SELECT key_name, route, idempotency_key FROM replays WHERE answered_at < $1
		ORDER BY answered_at LIMIT $2)`

func (t *tx) DropReplays(before time.Time, limit int) (int, error) {
	dropped, err := t.session.exec(t.ctx, dropReplays, before.UnixMilli(), limit)
	return int(dropped), t.failed(err)
}
