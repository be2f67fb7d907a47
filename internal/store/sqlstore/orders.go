package sqlstore

import (
	"fmt"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// orders are the rows of the table orders.
type orders struct{ *tx }

const orderColumns = `o.order_id, o.card_id, o.kind, o.sealed_pin, o.created_at, o.done_at,
		o.pin_expired_at`

// Orders that wait have a partial index, so that the growing number of finished orders does not
// slow the query down. An order to change a PIN ends when the PIN has expired.
const listOrders = `SELECT ` + orderColumns + ` FROM orders o
	WHERE o.done_at IS NULL AND (o.kind <> 'pin' OR o.pin_expired_at IS NULL)
	ORDER BY o.order_id LIMIT 0 + $1`

func scanOrder(row db.Scan) (store.ProcessorOrder, error) {
	var o store.ProcessorOrder
	err := row(&o.ID, &o.CardID, &o.Kind, &o.SealedPin, db.Time{To: &o.Created},
		db.Time{To: &o.Done}, db.Time{To: &o.PinExpired})
	return o, err
}

func (t orders) ListWaiting(limit int) ([]store.ProcessorOrder, error) {
	return db.List(t.session, scanOrder, listOrders, limit)
}

// Orders that hold a PIN are few, and have a partial index, too.
const listOldPins = `SELECT ` + orderColumns + ` FROM orders o
	JOIN cards c ON c.card_id = o.card_id
	WHERE o.sealed_pin IS NOT NULL AND o.created_at < $1 AND c.program_id = $2
	ORDER BY o.created_at, o.order_id LIMIT 0 + $3`

func (t orders) ListOldPins(
	programID int, before time.Time, limit int,
) ([]store.ProcessorOrder, error) {
	return db.List(t.session, scanOrder, listOldPins, before.UnixMilli(), programID, limit)
}

const (
	insertOrder = `INSERT INTO orders (card_id, kind, sealed_pin, created_at, done_at,
			pin_expired_at)
		VALUES ($1, $2, $3, $4, $5, $6)`
	updateOrder = `UPDATE orders SET card_id = $1, kind = $2, sealed_pin = $3, created_at = $4,
			done_at = $5, pin_expired_at = $6
		WHERE order_id = $7`
)

// Put changes a stored order when the processor has taken it, or when its PIN is destroyed.
func (t orders) Put(o store.ProcessorOrder) error {
	args := []any{o.CardID, o.Kind, db.OrNull(o.SealedPin), db.Millis(o.Created), db.Millis(o.Done),
		db.Millis(o.PinExpired)}
	if o.ID == 0 {
		return t.session.Write(insertOrder, args...)
	}
	changed, err := t.session.Exec(updateOrder, append(args, o.ID)...)
	if err == nil && changed == 0 {
		err = fmt.Errorf("order %d: %w", o.ID, store.ErrNotFound)
	}
	return t.session.Fail(err)
}
