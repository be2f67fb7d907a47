package sqlstore

import (
	"fmt"

	"mintmark/internal/store"
)

// Only orders that are left to do are read. They have an index of their own, so that the number of
// those that were done, which grows for ever, does not matter.
const listOrders = `SELECT order_id, card_id, kind, sealed_pin, created_at, done_at FROM orders
	WHERE done_at IS NULL ORDER BY order_id LIMIT $1`

func scanOrder(row scan) (store.Order, error) {
	var o store.Order
	err := row(&o.ID, &o.CardID, &o.Kind, &o.SealedPin, timeColumn{&o.Created},
		timeColumn{&o.Done})
	return o, err
}

func (r *reader) ListOrders(limit int) ([]store.Order, error) {
	return list(r, scanOrder, listOrders, limit)
}

const (
	insertOrder = `INSERT INTO orders (card_id, kind, sealed_pin, created_at, done_at)
		VALUES ($1, $2, $3, $4, $5)`
	updateOrder = `UPDATE orders SET (card_id, kind, sealed_pin, created_at, done_at)
		= ($1, $2, $3, $4, $5) WHERE order_id = $6`
)

// PutOrder changes a stored order when the processor has taken it, and when its PIN is to be
// forgotten.
func (t *tx) PutOrder(o store.Order) error {
	args := []any{o.CardID, o.Kind, orNull(o.SealedPin), millis(o.Created), millis(o.Done)}
	if o.ID == 0 {
		return t.write(insertOrder, args...)
	}
	changed, err := t.session.exec(t.ctx, updateOrder, append(args, o.ID)...)
	if err == nil && changed == 0 {
		err = fmt.Errorf("order %d: %w", o.ID, store.ErrNotFound)
	}
	return t.failed(err)
}
