package outbox

import (
	"mintmark/internal/domain/order"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/store/sqlstore/db"
)

// The orders of a span, as a reconciliation counts and lists them. An order that a program of the
// version before has ended says so by its date alone.
const (
	CountSpan = `SELECT o.kind, o.state, o.done_at IS NOT NULL, o.dropped_at IS NOT NULL,
			o.done_at IS NULL AND o.in_file IS NOT NULL, COUNT(*)
		FROM orders o JOIN cards c ON c.card_id = o.card_id
		WHERE o.created_at >= $1 AND o.created_at < $2 AND c.program_id = $3
		GROUP BY o.kind, o.state, o.done_at IS NOT NULL, o.dropped_at IS NOT NULL,
			o.done_at IS NULL AND o.in_file IS NOT NULL`

	// Orders that are open or have failed are few among those of a long span: their own indexes
	// find them, and not the one of created_at.
	ListUnanswered = `SELECT ` + columns + ` FROM orders o JOIN cards c ON c.card_id = o.card_id
		WHERE o.done_at IS NULL AND (o.state = 'waiting' OR o.state = 'held' OR o.state = 'sent')
			AND o.created_at + 0 >= $1 AND o.created_at + 0 < $2 AND c.program_id = $3
		ORDER BY o.order_id LIMIT 0 + $4`
	ListFailed = `SELECT ` + columns + ` FROM orders o
			JOIN cards c ON c.card_id = o.card_id
		WHERE o.state = 'failed' AND o.dropped_at IS NULL AND o.created_at + 0 >= $1
			AND o.created_at + 0 < $2 AND c.program_id = $3
		ORDER BY o.order_id LIMIT 0 + $4`
)

func scanSpan(row db.Scan) (reconciled.OrderCount, error) {
	var c reconciled.OrderCount
	var ended bool
	err := row(&c.Kind, &c.State, &ended, &c.Dropped, &c.InFile, &c.Count)
	c.Kind = KindOf(c.Kind)
	if c.State == order.Waiting && ended {
		c.State = order.Done
	}
	return c, err
}

// CountInSpan counts the orders of a span by their kinds and states. One pair may be counted twice.
func (t Orders) CountInSpan(of reconciled.OrderQuery) ([]reconciled.OrderCount, error) {
	return db.List(t.Session, scanSpan, CountSpan, of.From.UnixMilli(), of.To.UnixMilli(),
		of.ProgramID)
}

// ListInSpan returns orders of a span that are open, or that have failed.
func (t Orders) ListInSpan(of reconciled.OrderQuery) ([]order.Order, error) {
	text := ListUnanswered
	if of.Failed {
		text = ListFailed
	}
	return db.List(t.Session, scan, text, of.From.UnixMilli(), of.To.UnixMilli(), of.ProgramID,
		of.Limit)
}
