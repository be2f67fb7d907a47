package gate

import (
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Answers are the rows of the table operator_answers.
type Answers struct{ Session db.Session }

const findAnswer = `SELECT operator, route, idempotency_key, body_digest, http_status, answer,
		answered_at
	FROM operator_answers WHERE operator = $1 AND route = $2 AND idempotency_key = $3`

// Find returns the answer to a request.
func (t Answers) Find(of store.IdempotencyScope) (store.IdempotencyRecord, error) {
	var found store.IdempotencyRecord
	into := []any{&found.APIKey, &found.Route, &found.Key, &found.BodyDigest, &found.HTTP,
		&found.Answer, db.Time{To: &found.At}}
	is, err := db.Find(t.Session, into, findAnswer, of.APIKey, of.Route, of.Key)
	if err == nil && !is {
		err = store.ErrNotFound
	}
	return found, err
}

const (
	insertAnswer = `INSERT INTO operator_answers (operator, route, idempotency_key, body_digest,
			http_status, answer, answered_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`
	updateAnswer = `UPDATE operator_answers SET http_status = $1, answer = $2
		WHERE operator = $3 AND route = $4 AND idempotency_key = $5`
	// The oldest records go first: the index by time has them side by side.
	deleteAnswers = `DELETE FROM operator_answers WHERE (operator, route, idempotency_key) IN (
			SELECT operator, route, idempotency_key FROM operator_answers WHERE answered_at < $1
			ORDER BY answered_at LIMIT 0 + $2)`
)

// Put inserts the answer to a request, which has none yet.
func (t Answers) Put(r store.IdempotencyRecord) error {
	return t.Session.Write(insertAnswer, r.APIKey, r.Route, r.Key, db.OrEmpty(r.BodyDigest),
		r.HTTP, db.OrEmpty(r.Answer), db.Millis(r.At))
}

// Change replaces an answer.
func (t Answers) Change(r store.IdempotencyRecord) error {
	return t.Session.Change(updateAnswer, r.HTTP, db.OrEmpty(r.Answer), r.APIKey, r.Route, r.Key)
}

// DeleteBefore deletes old answers.
func (t Answers) DeleteBefore(before time.Time, limit int) (int, error) {
	deleted, err := t.Session.Exec(deleteAnswers, before.UnixMilli(), limit)
	return int(deleted), t.Session.Fail(err)
}
