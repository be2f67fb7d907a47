package webhooks

import (
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store/sqlstore/db"
)

// Lanes are the rows of the table deliveries that wait, by their lanes.
type Lanes struct{ Session db.Session }

const (
	listEndpointsDue = `SELECT DISTINCT webhook_id FROM deliveries
		WHERE next_at IS NOT NULL AND next_at <= $1 ORDER BY webhook_id`
	listDue = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND next_at IS NOT NULL AND next_at <= $2
		ORDER BY next_at, event LIMIT 0 + $3`
	listLane = `SELECT ` + deliveryColumns + ` FROM deliveries
		WHERE webhook_id = $1 AND lane = $2 AND state = 'waiting' ORDER BY event LIMIT 0 + $3`
	hasWaiting = `SELECT webhook_id FROM deliveries
		WHERE webhook_id = $1 AND state = 'waiting' LIMIT 1`
	hasLane = `SELECT lane FROM deliveries
		WHERE webhook_id = $1 AND lane = $2 AND state = 'waiting' LIMIT 1`
)

func scanNumber(row db.Scan) (int, error) {
	var number int
	err := row(&number)
	return number, err
}

// ListEndpointsDue returns the webhooks that have a delivery due.
func (t Lanes) ListEndpointsDue(at time.Time) ([]int, error) {
	return db.List(t.Session, scanNumber, listEndpointsDue, at.UnixMilli())
}

// ListDue returns deliveries of a webhook whose moment has come, the oldest first.
func (t Lanes) ListDue(webhookID int, at time.Time, limit int) ([]subscription.Delivery, error) {
	return db.List(t.Session, scanDelivery, listDue, webhookID, at.UnixMilli(), limit)
}

// List returns deliveries of a lane that wait.
func (t Lanes) List(webhookID, lane, limit int) ([]subscription.Delivery, error) {
	return db.List(t.Session, scanDelivery, listLane, webhookID, lane, limit)
}

// ListWaiting asks for each lane only when something waits at all, which is seldom.
func (t Lanes) ListWaiting(webhookID int, lanes []int) ([]int, error) {
	waiting, err := db.List(t.Session, scanNumber, hasWaiting, webhookID)
	if err != nil || len(waiting) == 0 || len(lanes) == 0 {
		return nil, err
	}
	var found []int
	queries := make([]db.Query, len(lanes))
	for i, lane := range lanes {
		queries[i] = db.Rows(&found, scanNumber, hasLane, webhookID, lane)
	}
	return found, t.Session.Query(queries...)
}
