package sqlstore

import (
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// orderQueue implements store.OrderQueue: it is the table orders as a dispatcher uses it.
type orderQueue struct{ orders }

var _ store.OrderQueue = orderQueue{}

// Find returns an order and locks it for this transaction. An order that another transaction is
// changing counts as absent.
func (t orderQueue) Find(orderID int) (order.Order, error) {
	return db.One(t.session, scanOrder, findOrder+t.session.Locking(), orderID)
}

// The statements of a claim are written out in full, so that each can be read and explained on its
// own. A due order is compared with its blocker, the earliest order of its card that is waiting or
// held. The order to make a card is the first of the card, so an urgent order waits for it while it
// is the earliest. Any other order waits for all earlier ones, and lets urgent orders pass that are
// due or that did not reach the processor.
//
// The literals of the states are those of the partial indexes. The blocker is found by ORDER BY
// with the dates and IDs, because only the index on cards has that order: PostgreSQL would find a
// MIN by scanning the orders of all cards. No statement looks at more than claimWindow orders that
// are due by their date.
const (
	claimUrgent = `WITH due AS MATERIALIZED (SELECT order_id, card_id FROM orders
			WHERE state = 'waiting' AND done_at IS NULL AND urgent = $1 AND next_try_at <= $2
			ORDER BY next_try_at, order_id LIMIT 0 + $3),
		behind AS MATERIALIZED (SELECT o.order_id, (SELECT e.order_id FROM orders e
				WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
				ORDER BY e.done_at, e.order_id LIMIT 1) AS blocker
			FROM due o)
		SELECT ` + orderColumns + ` FROM behind b
		JOIN orders o ON o.order_id = b.order_id JOIN cards c ON c.card_id = o.card_id
		WHERE o.state = 'waiting' AND o.done_at IS NULL AND o.next_try_at <= $2
			AND NOT EXISTS (SELECT 1 FROM orders m WHERE m.order_id = b.blocker
				AND m.order_id < b.order_id AND m.kind IN ('card', 'card.make'))
		ORDER BY o.next_try_at, o.order_id LIMIT 0 + $4`
	claimOther = `WITH due AS MATERIALIZED (SELECT order_id, card_id FROM orders
			WHERE state = 'waiting' AND done_at IS NULL AND urgent = $1 AND next_try_at <= $2
			ORDER BY next_try_at, order_id LIMIT 0 + $3),
		behind AS MATERIALIZED (SELECT o.order_id, (SELECT e.order_id FROM orders e
				WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
				ORDER BY e.done_at, e.order_id LIMIT 1) AS blocker
			FROM due o)
		SELECT ` + orderColumns + ` FROM behind b
		JOIN orders o ON o.order_id = b.order_id JOIN cards c ON c.card_id = o.card_id
		WHERE o.state = 'waiting' AND o.done_at IS NULL AND o.next_try_at <= $2
			AND b.blocker = b.order_id
			AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.state = 'waiting' AND o.done_at IS NULL
				AND o.urgent AND o.unreachable AND (o.created_at >= $5 OR o.begun_at >= $5)
				AND NOT EXISTS (SELECT 1 FROM orders m
					WHERE m.order_id = (SELECT e.order_id FROM orders e
						WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
						ORDER BY e.done_at, e.order_id LIMIT 1)
						AND m.order_id < o.order_id AND m.kind IN ('card', 'card.make')))
			AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.state = 'waiting' AND o.done_at IS NULL
				AND o.urgent = TRUE AND o.next_try_at <= $2 AND NOT EXISTS (SELECT 1 FROM orders m
					WHERE m.order_id = (SELECT e.order_id FROM orders e
						WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
						ORDER BY e.done_at, e.order_id LIMIT 1)
						AND m.order_id < o.order_id AND m.kind IN ('card', 'card.make')))
		ORDER BY o.next_try_at, o.order_id LIMIT 0 + $4`
)

// claimQuery returns the statement that finds the orders to claim, and its arguments.
func claimQuery(of store.OrderClaim, now time.Time) (text string, args []any) {
	args = []any{of.Urgent, now.UnixMilli(), claimWindow, of.Limit}
	if of.Urgent {
		return claimUrgent, args
	}
	notAlone := int64(0)
	if !of.Answered.IsZero() {
		notAlone = of.Answered.Add(-store.ReachableAfter).UnixMilli()
	}
	return claimOther, append(args, notAlone)
}

// nextUrgentOrder and nextOtherOrder find the next try, after a given time, of an order that a
// claim would take then if nothing changes until then.
const (
	nextUrgentOrder = `SELECT o.next_try_at FROM orders o WHERE o.state = 'waiting'
			AND o.done_at IS NULL AND o.urgent = TRUE AND o.next_try_at > $1
			AND NOT EXISTS (SELECT 1 FROM orders m
				WHERE m.order_id = (SELECT e.order_id FROM orders e
					WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
					ORDER BY e.done_at, e.order_id LIMIT 1)
					AND m.order_id < o.order_id AND m.kind IN ('card', 'card.make'))
		ORDER BY o.next_try_at LIMIT 1`
	nextOtherOrder = `SELECT n.next_try_at FROM (SELECT o.next_try_at FROM orders o
			WHERE o.state = 'waiting' AND o.done_at IS NULL AND o.urgent = FALSE
				AND o.next_try_at > $1
				AND o.order_id = (SELECT e.order_id FROM orders e
					WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
					ORDER BY e.done_at, e.order_id LIMIT 1)
			ORDER BY o.next_try_at LIMIT 1) AS n
		WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.state = 'waiting' AND o.done_at IS NULL
			AND o.urgent AND o.unreachable AND NOT EXISTS (SELECT 1 FROM orders m
				WHERE m.order_id = (SELECT e.order_id FROM orders e
					WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
					ORDER BY e.done_at, e.order_id LIMIT 1)
					AND m.order_id < o.order_id AND m.kind IN ('card', 'card.make')))`
)

const claimOrder = `UPDATE orders SET claimed_by = $1, next_try_at = $2, revision = revision + 1
	WHERE order_id = $3`

// claimWindow bounds the number of orders due by their date that one statement looks at. Those that
// wait for another order are postponed by parkTime, so that the next statement looks at others; one
// claim does so parkRounds times at most. When the wait ends, the order is woken sooner.
const (
	claimWindow = 500
	parkRounds  = 4
	parkTime    = order.LongestWait
)

// Claim claims due orders, and postpones those that wait for another order.
func (t orderQueue) Claim(of store.OrderClaim) ([]order.Order, error) {
	now := t.Now()
	text, args := claimQuery(of, now)
	text += t.session.Locking()
	var list []order.Order
	for round := 0; ; round++ {
		var err error
		list, err = db.List(t.session, scanOrder, text, args...)
		if err != nil {
			return nil, err
		}
		if len(list) == of.Limit || round == parkRounds {
			break
		}
		parked, err := t.park(of.Urgent, now)
		if err != nil {
			return nil, err
		}
		if parked < claimWindow || len(list) > 0 {
			break
		}
	}
	for i := range list {
		o := &list[i]
		o.ClaimedBy, o.NextTry, o.Revision = of.Node, of.Until, o.Revision+1
		err := t.session.Write(claimOrder, o.ClaimedBy, o.NextTry.UnixMilli(), o.ID)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

const (
	renewClaim = `UPDATE orders SET next_try_at = $1
		WHERE order_id = $2 AND claimed_by = $3 AND state = 'waiting' AND done_at IS NULL`
	freeOrders = `UPDATE orders SET claimed_by = '', next_try_at = $1, revision = revision + 1
		WHERE state = 'waiting' AND done_at IS NULL AND next_try_at > $1
			AND (claimed_by = $2 OR urgent AND claimed_by = '')`
)

// Renew moves the end of claims. A renewed claim is still the same claim, so the revision of its
// order does not change.
func (t orderQueue) Renew(node string, until time.Time, orderIDs []int) error {
	for _, orderID := range orderIDs {
		err := t.session.Write(renewClaim, until.UnixMilli(), orderID, node)
		if err != nil {
			return err
		}
	}
	return nil
}

// Free makes the orders of a node that is gone due immediately, and also the urgent orders that no
// node has claimed.
func (t orderQueue) Free(node string) error {
	return t.session.Write(freeOrders, t.Now().UnixMilli(), node)
}

// The order that another order waits for is locked while the latter is postponed, so that the wait
// does not end in the meantime. The lock clause of the engine goes between the first part, for
// urgent or for other orders, and the last.
const (
	parkUrgent = `WITH due AS MATERIALIZED (SELECT order_id, card_id FROM orders
			WHERE state = 'waiting' AND done_at IS NULL AND urgent = $1 AND next_try_at <= $2
			ORDER BY next_try_at, order_id LIMIT 0 + $3),
		behind AS MATERIALIZED (SELECT o.order_id, (SELECT e.order_id FROM orders e
				WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
				ORDER BY e.done_at, e.order_id LIMIT 1) AS blocker
			FROM due o),
		parked AS MATERIALIZED (SELECT b.order_id
			FROM behind b JOIN orders o ON o.order_id = b.blocker
			WHERE b.blocker < b.order_id AND o.done_at IS NULL AND o.state <> 'sent'
				AND o.kind IN ('card', 'card.make')`
	parkOther = `WITH due AS MATERIALIZED (SELECT order_id, card_id FROM orders
			WHERE state = 'waiting' AND done_at IS NULL AND urgent = $1 AND next_try_at <= $2
			ORDER BY next_try_at, order_id LIMIT 0 + $3),
		behind AS MATERIALIZED (SELECT o.order_id, (SELECT e.order_id FROM orders e
				WHERE e.card_id = o.card_id AND e.done_at IS NULL AND e.state <> 'sent'
				ORDER BY e.done_at, e.order_id LIMIT 1) AS blocker
			FROM due o),
		parked AS MATERIALIZED (SELECT b.order_id
			FROM behind b JOIN orders o ON o.order_id = b.blocker
			WHERE b.blocker < b.order_id AND o.done_at IS NULL AND o.state <> 'sent'`
	parkOrders = `) UPDATE orders SET next_try_at = $4, claimed_by = ''
		WHERE order_id IN (SELECT order_id FROM parked)`
)

// park postpones orders that are due by their date and wait for another order of their card. It
// returns how many.
func (t orderQueue) park(urgent bool, now time.Time) (int64, error) {
	text := parkOther
	if urgent {
		text = parkUrgent
	}
	return t.session.Exec(text+t.session.Locking()+parkOrders, urgent, now.UnixMilli(),
		claimWindow, now.Add(parkTime).UnixMilli())
}
