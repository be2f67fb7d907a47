package webhooks

import (
	"math"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store/sqlstore/db"
)

// Deliveries are the rows of the table deliveries, by their events.
type Deliveries struct{ Session db.Session }

const (
	deliveryColumns = `webhook_id, event, lane, type, state, tries, next_at, last_error, since`

	findDelivery = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND event = $2`
	listDeliveries = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND event < $2 ORDER BY event DESC LIMIT 0 + $3`
)

func scanDelivery(row db.Scan) (subscription.Delivery, error) {
	var d subscription.Delivery
	err := row(&d.WebhookID, &d.Sequence, &d.Lane, &d.Type, &d.State, &d.Tries,
		db.Time{To: &d.Next}, &d.LastError, db.Time{To: &d.Since})
	return d, err
}

// Find returns one delivery.
func (t Deliveries) Find(webhookID, sequence int) (subscription.Delivery, error) {
	return one(db.List(t.Session, scanDelivery, findDelivery, webhookID, sequence))
}

// List returns deliveries below a sequence, newest first.
func (t Deliveries) List(webhookID, below, limit int) ([]subscription.Delivery, error) {
	if below == 0 {
		below = math.MaxInt
	}
	return db.List(t.Session, scanDelivery, listDeliveries, webhookID, below, limit)
}

const countDeliveries = `SELECT state, COUNT(*) FROM deliveries WHERE webhook_id = $1
	GROUP BY state ORDER BY state`

// Count returns how many deliveries wait, and how many are dead.
func (t Deliveries) Count(webhookID int) (waiting, dead int, err error) {
	type group struct {
		state subscription.State
		count int
	}
	groups, err := db.List(t.Session, func(row db.Scan) (group, error) {
		var g group
		err := row(&g.state, &g.count)
		return g, err
	}, countDeliveries, webhookID)
	for _, g := range groups {
		if g.state == subscription.Dead {
			dead = g.count
		} else {
			waiting += g.count
		}
	}
	return waiting, dead, err
}

const putDelivery = `INSERT INTO deliveries (webhook_id, event, lane, type, state, tries, next_at,
		last_error, since)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (webhook_id, event) DO UPDATE SET state = excluded.state, tries = excluded.tries,
		next_at = excluded.next_at, last_error = excluded.last_error`

// Put inserts a delivery, or replaces the one of its event.
func (t Deliveries) Put(d subscription.Delivery) error {
	return t.Session.Write(putDelivery, d.WebhookID, d.Sequence, d.Lane, d.Type, d.State, d.Tries,
		db.Millis(d.Next), d.LastError, db.Millis(d.Since))
}

const (
	deleteDelivery = `DELETE FROM deliveries WHERE webhook_id = $1 AND event = $2`
	deleteDead     = `DELETE FROM deliveries WHERE state = 'dead' AND (webhook_id, event) IN (
		SELECT webhook_id, event FROM deliveries WHERE state = 'dead' AND since < $1
		ORDER BY since LIMIT 0 + $2)`
)

// Delete removes a delivery.
func (t Deliveries) Delete(webhookID, sequence int) error {
	return t.Session.Write(deleteDelivery, webhookID, sequence)
}

// DeleteDead removes old dead deliveries.
func (t Deliveries) DeleteDead(before time.Time, limit int) (int, error) {
	deleted, err := t.Session.Exec(deleteDead, before.UnixMilli(), limit)
	return int(deleted), err
}
