package webhooks

import (
	"math"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store/sqlstore/db"
)

// Attempts are the rows of the table delivery_attempts.
type Attempts struct{ Session db.Session }

const (
	listAttempts = `SELECT webhook_id, event, tried_at, http_status, millis, error, answer
		FROM delivery_attempts WHERE webhook_id = $1 ORDER BY attempt_id DESC LIMIT 0 + $2`
	listAttemptsOf = `SELECT webhook_id, event, tried_at, http_status, millis, error, answer
		FROM delivery_attempts WHERE webhook_id = $1 AND event = $3
		ORDER BY attempt_id DESC LIMIT 0 + $2`
)

func scanAttempt(row db.Scan) (subscription.Attempt, error) {
	var a subscription.Attempt
	var millis int
	err := row(&a.WebhookID, &a.Sequence, db.Time{To: &a.At}, &a.Status, &millis, &a.Error,
		&a.Answer)
	a.Duration = time.Duration(millis) * time.Millisecond
	return a, err
}

// List returns attempts of an event or of all, newest first.
func (t Attempts) List(webhookID, sequence, limit int) ([]subscription.Attempt, error) {
	if sequence == 0 {
		return db.List(t.Session, scanAttempt, listAttempts, webhookID, limit)
	}
	return db.List(t.Session, scanAttempt, listAttemptsOf, webhookID, limit, sequence)
}

const (
	listTried = `SELECT DISTINCT event FROM delivery_attempts
		WHERE webhook_id = $1 AND event < $2 ORDER BY event DESC LIMIT 0 + $3`
	findSuccess = `SELECT webhook_id, event, tried_at, http_status, millis, error, answer
		FROM delivery_attempts WHERE webhook_id = $1 AND error = ''
		ORDER BY attempt_id DESC LIMIT 1`
)

// ListEvents returns the events that were tried, newest first.
func (t Attempts) ListEvents(webhookID, below, limit int) ([]int, error) {
	if below == 0 {
		below = math.MaxInt
	}
	return db.List(t.Session, func(row db.Scan) (int, error) {
		var event int
		err := row(&event)
		return event, err
	}, listTried, webhookID, below, limit)
}

// FindSuccess returns the newest attempt that has succeeded.
func (t Attempts) FindSuccess(webhookID int) (subscription.Attempt, error) {
	return one(db.List(t.Session, scanAttempt, findSuccess, webhookID))
}

const (
	putAttempt = `INSERT INTO delivery_attempts (webhook_id, event, tried_at, http_status, millis,
			error, answer)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`
	deleteAttempts = `DELETE FROM delivery_attempts WHERE attempt_id IN (
		SELECT attempt_id FROM delivery_attempts WHERE tried_at < $1 ORDER BY tried_at
		LIMIT 0 + $2)`
)

// Put inserts an attempt.
func (t Attempts) Put(a subscription.Attempt) error {
	return t.Session.Write(putAttempt, a.WebhookID, a.Sequence, db.Millis(a.At), a.Status,
		a.Duration.Milliseconds(), a.Error, a.Answer)
}

// DeleteBefore removes old attempts.
func (t Attempts) DeleteBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.Session.Exec(deleteAttempts, moment.UnixMilli(), limit)
	return int(deleted), err
}
