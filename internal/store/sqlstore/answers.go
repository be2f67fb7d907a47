package sqlstore

import (
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// callerAnswers implements store.Answers on the table replays.
type callerAnswers struct{ *tx }

const findRecord = `SELECT key_name, route, idempotency_key, body_digest, http_status, answer,
		answered_at
	FROM replays WHERE key_name = $1 AND route = $2 AND idempotency_key = $3`

func (t callerAnswers) Find(scope store.IdempotencyScope) (store.IdempotencyRecord, error) {
	var r store.IdempotencyRecord
	into := []any{&r.APIKey, &r.Route, &r.Key, &r.BodyDigest, &r.HTTP,
		&r.Answer, db.Time{To: &r.At}}
	err := t.find(into, findRecord, scope.APIKey, scope.Route, scope.Key)
	if err != nil {
		return store.IdempotencyRecord{}, err
	}
	return r, nil
}

// Without ON CONFLICT, a second node that has performed the same request gets store.ErrExists, and
// its transaction is rolled back.
const putRecord = `INSERT INTO replays (key_name, route, idempotency_key, body_digest, http_status,
		answer, answered_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

func (t callerAnswers) Put(r store.IdempotencyRecord) error {
	return t.session.Write(putRecord, r.APIKey, r.Route, r.Key, db.OrEmpty(r.BodyDigest), r.HTTP,
		db.OrEmpty(r.Answer), db.Millis(r.At))
}

// The oldest records are deleted first: they are adjacent in the index on answered_at.
const deleteRecords = `DELETE FROM replays WHERE (key_name, route, idempotency_key) IN (
		SELECT key_name, route, idempotency_key FROM replays WHERE answered_at < $1
		ORDER BY answered_at LIMIT 0 + $2)`

func (t callerAnswers) DeleteBefore(before time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteRecords, before.UnixMilli(), limit)
	return int(deleted), t.session.Fail(err)
}

// operatorAnswers implements store.OperatorAnswers on the table operator_answers.
type operatorAnswers struct{ *tx }

const findOperatorAnswer = `SELECT operator, route, idempotency_key, body_digest, http_status,
		answer, answered_at
	FROM operator_answers WHERE operator = $1 AND route = $2 AND idempotency_key = $3`

func (t operatorAnswers) Find(of store.IdempotencyScope) (store.IdempotencyRecord, error) {
	var r store.IdempotencyRecord
	into := []any{&r.APIKey, &r.Route, &r.Key, &r.BodyDigest, &r.HTTP,
		&r.Answer, db.Time{To: &r.At}}
	err := t.find(into, findOperatorAnswer, of.APIKey, of.Route, of.Key)
	return r, err
}

const (
	insertOperatorAnswer = `INSERT INTO operator_answers (operator, route, idempotency_key,
			body_digest, http_status, answer, answered_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`
	updateOperatorAnswer = `UPDATE operator_answers SET http_status = $1, answer = $2
		WHERE operator = $3 AND route = $4 AND idempotency_key = $5`
	// The oldest records are deleted first: they are adjacent in the index on answered_at.
	deleteOperatorAnswers = `DELETE FROM operator_answers WHERE (operator, route, idempotency_key)
			IN (
			SELECT operator, route, idempotency_key FROM operator_answers WHERE answered_at < $1
			ORDER BY answered_at LIMIT 0 + $2)`
)

// Put inserts the answer to a request that has none yet.
func (t operatorAnswers) Put(r store.IdempotencyRecord) error {
	return t.session.Write(insertOperatorAnswer, r.APIKey, r.Route, r.Key, db.OrEmpty(r.BodyDigest),
		r.HTTP, db.OrEmpty(r.Answer), db.Millis(r.At))
}

func (t operatorAnswers) Change(r store.IdempotencyRecord) error {
	return t.session.Change(updateOperatorAnswer, r.HTTP, db.OrEmpty(r.Answer), r.APIKey, r.Route,
		r.Key)
}

func (t operatorAnswers) DeleteBefore(before time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteOperatorAnswers, before.UnixMilli(), limit)
	return int(deleted), t.session.Fail(err)
}
