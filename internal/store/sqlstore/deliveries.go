package sqlstore

import (
	"math"
	"strconv"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// deliveries implements store.Deliveries: the events that a webhook has not accepted, waiting or
// dead, with their attempts and replays. Of an accepted event, only the attempts remain.
type deliveries struct{ *tx }

const (
	deliveryColumns = `webhook_id, event, lane, type, state, tries, next_at, last_error, since`

	findDelivery = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND event = $2`
	listDeliveries = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND event < $2 ORDER BY event DESC LIMIT 0 + $3`
	listDeliveriesOfState = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND event < $2 AND state = $4 ORDER BY event DESC LIMIT 0 + $3`
)

func scanDelivery(row db.Scan) (subscription.Delivery, error) {
	var d subscription.Delivery
	err := row(&d.WebhookID, &d.Sequence, &d.Lane, &d.Type, &d.State, &d.Tries,
		db.Time{To: &d.Next}, &d.LastError, db.Time{To: &d.Since})
	return d, err
}

func (t deliveries) Find(webhookID, sequence int) (subscription.Delivery, error) {
	return db.One(t.session, scanDelivery, findDelivery, webhookID, sequence)
}

// List returns deliveries below a sequence, newest first.
func (t deliveries) List(
	webhookID int, state subscription.State, below, limit int,
) ([]subscription.Delivery, error) {
	if below == 0 {
		below = math.MaxInt
	}
	if state == "" {
		return db.List(t.session, scanDelivery, listDeliveries, webhookID, below, limit)
	}
	return db.List(t.session, scanDelivery, listDeliveriesOfState, webhookID, below, limit, state)
}

const countDeliveries = `SELECT state, COUNT(*), MIN(since) FROM deliveries WHERE webhook_id = $1
	GROUP BY state ORDER BY state`

// Count counts the waiting and the dead deliveries.
func (t deliveries) Count(webhookID int) (store.DeliveryCount, error) {
	var counted store.DeliveryCount
	err := t.session.Query(db.Query{Text: countDeliveries, Args: []any{webhookID},
		Each: func(row db.Scan) error {
			var state subscription.State
			var count int
			var oldest time.Time
			err := row(&state, &count, db.Time{To: &oldest})
			if state == subscription.Dead {
				counted.Dead, counted.OldestDead = count, oldest
			} else {
				counted.Waiting, counted.OldestWaiting = count, oldest
			}
			return err
		}})
	return counted, err
}

const putDelivery = `INSERT INTO deliveries (webhook_id, event, lane, type, state, tries, next_at,
		last_error, since)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (webhook_id, event) DO UPDATE SET state = excluded.state, tries = excluded.tries,
		next_at = excluded.next_at, last_error = excluded.last_error`

// Put inserts a delivery, or replaces the one of its event.
func (t deliveries) Put(d subscription.Delivery) error {
	return t.session.Write(putDelivery, d.WebhookID, d.Sequence, d.Lane, d.Type, d.State, d.Tries,
		db.Millis(d.Next), d.LastError, db.Millis(d.Since))
}

const (
	deleteDelivery       = `DELETE FROM deliveries WHERE webhook_id = $1 AND event = $2`
	deleteDeadDeliveries = `DELETE FROM deliveries WHERE state = 'dead' AND (webhook_id, event) IN (
		SELECT webhook_id, event FROM deliveries WHERE state = 'dead' AND since < $1
		ORDER BY since LIMIT 0 + $2)`
)

func (t deliveries) Delete(webhookID, sequence int) error {
	return t.session.Write(deleteDelivery, webhookID, sequence)
}

// DeleteDead deletes old dead deliveries.
func (t deliveries) DeleteDead(before time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteDeadDeliveries, before.UnixMilli(), limit)
	return int(deleted), err
}

const (
	listEndpointsDue = `SELECT DISTINCT webhook_id FROM deliveries
		WHERE next_at IS NOT NULL AND next_at <= $1 ORDER BY webhook_id`
	listDueDeliveries = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND next_at IS NOT NULL AND next_at <= $2
		ORDER BY next_at, event LIMIT 0 + $3`
	listDeliveriesOfLane = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND lane = $2 AND state = 'waiting' ORDER BY event LIMIT 0 + $3`
	hasWaitingDelivery = `SELECT webhook_id FROM deliveries
		WHERE webhook_id = $1 AND state = 'waiting' LIMIT 1`
	hasWaitingInLane = `SELECT lane FROM deliveries
		WHERE webhook_id = $1 AND lane = $2 AND state = 'waiting' LIMIT 1`
)

// ListEndpointsDue returns the webhooks with a due delivery.
func (t deliveries) ListEndpointsDue(at time.Time) ([]int, error) {
	return db.List(t.session, scanNumber, listEndpointsDue, at.UnixMilli())
}

// ListDue returns the due deliveries of a webhook, oldest first.
func (t deliveries) ListDue(webhookID int, at time.Time, limit int) ([]subscription.Delivery,
	error) {
	return db.List(t.session, scanDelivery, listDueDeliveries, webhookID, at.UnixMilli(), limit)
}

// ListOfLane returns the waiting deliveries of a lane.
func (t deliveries) ListOfLane(webhookID, lane, limit int) ([]subscription.Delivery, error) {
	return db.List(t.session, scanDelivery, listDeliveriesOfLane, webhookID, lane, limit)
}

// ListWaiting queries the lanes only if any delivery is waiting, which is rare.
func (t deliveries) ListWaiting(webhookID int, lanes []int) ([]int, error) {
	waiting, err := db.List(t.session, scanNumber, hasWaitingDelivery, webhookID)
	if err != nil || len(waiting) == 0 || len(lanes) == 0 {
		return nil, err
	}
	var ids []int
	queries := make([]db.Query, len(lanes))
	for i, lane := range lanes {
		queries[i] = db.Rows(&ids, scanNumber, hasWaitingInLane, webhookID, lane)
	}
	return ids, t.session.Query(queries...)
}

const (
	listDeliveryAttempts = `SELECT webhook_id, event, tried_at, http_status, millis, error, answer
		FROM delivery_attempts WHERE webhook_id = $1 ORDER BY attempt_id DESC LIMIT 0 + $2`
	listDeliveryAttemptsOf = `SELECT webhook_id, event, tried_at, http_status, millis, error, answer
		FROM delivery_attempts WHERE webhook_id = $1 AND event = $3
		ORDER BY attempt_id DESC LIMIT 0 + $2`
)

func scanDeliveryAttempt(row db.Scan) (subscription.Attempt, error) {
	var a subscription.Attempt
	var millis int
	err := row(&a.WebhookID, &a.Sequence, db.Time{To: &a.At}, &a.Status, &millis, &a.Error,
		&a.Answer)
	a.Duration = time.Duration(millis) * time.Millisecond
	return a, err
}

// ListAttempts returns the attempts for one event, or for all events if sequence is 0, newest
// first.
func (t deliveries) ListAttempts(webhookID, sequence, limit int) ([]subscription.Attempt, error) {
	if sequence == 0 {
		return db.List(t.session, scanDeliveryAttempt, listDeliveryAttempts, webhookID, limit)
	}
	return db.List(t.session, scanDeliveryAttempt, listDeliveryAttemptsOf, webhookID, limit,
		sequence)
}

const (
	listTriedEvents = `SELECT DISTINCT event FROM delivery_attempts
		WHERE webhook_id = $1 AND event < $2 ORDER BY event DESC LIMIT 0 + $3`
	findDeliverySuccess = `SELECT webhook_id, event, tried_at, http_status, millis, error, answer
		FROM delivery_attempts WHERE webhook_id = $1 AND error = ''
		ORDER BY attempt_id DESC LIMIT 1`
)

// ListTriedEvents returns the events with attempts, newest first.
func (t deliveries) ListAttemptedEvents(webhookID, below, limit int) ([]int, error) {
	if below == 0 {
		below = math.MaxInt
	}
	return db.List(t.session, func(row db.Scan) (int, error) {
		var event int
		err := row(&event)
		return event, err
	}, listTriedEvents, webhookID, below, limit)
}

// FindSuccess returns the newest successful attempt.
func (t deliveries) FindSuccess(webhookID int) (subscription.Attempt, error) {
	return db.One(t.session, scanDeliveryAttempt, findDeliverySuccess, webhookID)
}

const (
	putDeliveryAttempt = `INSERT INTO delivery_attempts (webhook_id, event, tried_at, http_status,
			millis, error, answer)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`
	deleteDeliveryAttempts = `DELETE FROM delivery_attempts WHERE attempt_id IN (
		SELECT attempt_id FROM delivery_attempts WHERE tried_at < $1 ORDER BY tried_at
		LIMIT 0 + $2)`
)

func (t deliveries) PutAttempt(a subscription.Attempt) error {
	return t.session.Write(putDeliveryAttempt, a.WebhookID, a.Sequence, db.Millis(a.At), a.Status,
		a.Duration.Milliseconds(), a.Error, a.Answer)
}

const countAttempts = `SELECT w.program_id, a.webhook_id, a.tried_at / 3600000,
		CASE WHEN a.error = '' THEN '` + store.Succeeded + `' ELSE '` + store.Failed + `' END AS outcome,
		COUNT(*)
	FROM delivery_attempts a JOIN webhooks w ON w.webhook_id = a.webhook_id
	WHERE a.tried_at >= $1 AND a.tried_at < $2
	GROUP BY w.program_id, a.webhook_id, a.tried_at / 3600000, outcome`

// CountAttempts counts attempts by webhook, hour and outcome.
func (t deliveries) CountAttempts(from, to time.Time) ([]store.HourlyCount, error) {
	return db.List(t.session, func(row db.Scan) (store.HourlyCount, error) {
		var c store.HourlyCount
		var webhookID, hour int
		err := row(&c.ProgramID, &webhookID, &hour, &c.Label, &c.Count)
		c.Item, c.Hour = strconv.Itoa(webhookID), beginningOf(hour)
		return c, err
	}, countAttempts, from.UnixMilli(), to.UnixMilli())
}

func (t deliveries) DeleteAttemptsBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteDeliveryAttempts, moment.UnixMilli(), limit)
	return int(deleted), err
}
