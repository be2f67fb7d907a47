package sqlstore

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// orders implements store.Orders on the table orders.
type orders struct{ *tx }

var _ store.Orders = orders{}

// The columns of an order, with the program of its card.
const orderColumns = `o.order_id, COALESCE(o.token, ''), c.program_id, o.card_id,
		COALESCE(o.sequence, 0), o.kind, o.state, o.snapshot, o.created_at, o.expire_month,
		o.expire_year, o.sealed_pin, o.pin_expired_at, o.attempts, o.last_error, o.unreachable,
		o.next_try_at, o.claimed_by, COALESCE(o.in_file, 0), o.done_at, o.dropped_at, o.begun_at,
		o.revision, o.tries`

// olderKinds maps the kinds that the previous version wrote to those of today.
var olderKinds = map[order.Kind]order.Kind{
	"card": order.Make, "renew": order.Remake, "pin": order.SetPin,
}

// kindOf returns the name that a stored kind has today.
func kindOf(stored order.Kind) order.Kind { return cmp.Or(olderKinds[stored], stored) }

// scanOrder scans orderColumns. If the previous version has ended an order, only its end date shows
// it.
func scanOrder(row db.Scan) (order.Order, error) {
	var o order.Order
	err := row(&o.ID, &o.Token, &o.ProgramID, &o.CardID, &o.Sequence, &o.Kind, &o.State,
		db.JSON{To: &o.Snapshot}, db.Time{To: &o.Created}, &o.ExpireMonth, &o.ExpireYear,
		&o.SealedPin, db.Time{To: &o.PinExpired}, &o.Attempts, &o.LastError, &o.Unreachable,
		db.Time{To: &o.NextTry}, &o.ClaimedBy, &o.File, db.Time{To: &o.Ended},
		db.Time{To: &o.Dropped}, db.Time{To: &o.Begun}, &o.Revision, db.JSON{To: &o.Tries})
	o.Kind = kindOf(o.Kind)
	if o.State == order.Waiting && !o.Ended.IsZero() {
		o.State = order.Done
	}
	if o.NextTry.UnixMilli() == 0 {
		o.NextTry = time.Time{}
	}
	return o, err
}

const findOrder = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id = o.card_id
	WHERE o.order_id = $1`

func (t orders) Find(orderID int) (order.Order, error) {
	return db.One(t.session, scanOrder, findOrder, orderID)
}

// Orders that have not ended, and failed ones, are few among all. Each has a partial index.
const (
	listOrdersOfCard = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.card_id = $1 AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
	listUnnumberedOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.card_id = $1 AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
			AND o.sequence IS NULL
		ORDER BY o.order_id LIMIT 0 + $4`
	listWaitingOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.card_id = $1 AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
			AND o.done_at IS NULL AND o.state = 'waiting'
		ORDER BY o.order_id LIMIT 0 + $4`
	listOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id = o.card_id
		WHERE $1 = '' AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
	listOpenOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.done_at IS NULL AND o.state = $1 AND ($2 = 0 OR c.program_id = $2)
			AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
	listFailedOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.state = 'failed' AND o.dropped_at IS NULL AND $1 = 'failed'
			AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
	listDroppedOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.dropped_at IS NOT NULL AND $1 = '' AND ($2 = 0 OR c.program_id = $2)
			AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
	listDoneOrders = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.done_at IS NOT NULL AND o.state IN ($1, 'waiting')
			AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
)

// List returns orders, newest first unless the query says otherwise.
func (t orders) List(of store.OrderQuery) ([]order.Order, error) {
	var text string
	var first any = string(of.State)
	switch {
	case of.CardID != 0 && of.Unnumbered:
		text, first = listUnnumberedOrders, of.CardID
	case of.CardID != 0 && of.Waiting:
		text, first = listWaitingOrders, of.CardID
	case of.CardID != 0:
		text, first = listOrdersOfCard, of.CardID
	case of.File != 0:
		text, first = listOrdersInFile, of.File
	case of.Dropped:
		text = listDroppedOrders
	case of.State == "":
		text = listOrders
	case of.State == order.Failed:
		text = listFailedOrders
	case of.State == order.Done:
		text = listDoneOrders
	default:
		text = listOpenOrders
	}
	last := of.Before - 1
	if of.Before == 0 {
		last = math.MaxInt32
	}
	return db.List(t.session, scanOrder, text, first, of.ProgramID, last, of.Limit, of.From)
}

// Orders that hold a PIN are few, and also have a partial index.
const listOldPins = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id = o.card_id
	WHERE o.sealed_pin IS NOT NULL AND o.created_at < $1 AND c.program_id = $2
	ORDER BY o.created_at, o.order_id LIMIT 0 + $3`

// ListOldPins returns orders of a program that hold a PIN and were written before a given time.
func (t orders) ListOldPins(
	programID int, before time.Time, limit int,
) ([]order.Order, error) {
	return db.List(t.session, scanOrder, listOldPins, before.UnixMilli(), programID, limit)
}

// Orders in files that are not fetched yet are few, and have a partial index.
const (
	listOrderFiles = `SELECT DISTINCT in_file FROM orders
		WHERE in_file IS NOT NULL AND done_at IS NULL ORDER BY in_file`
	listOrdersInFile = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.in_file = $1 AND o.in_file IS NOT NULL AND o.done_at IS NULL
			AND ($2 = 0 OR c.program_id = $2) AND o.order_id BETWEEN $5 AND $3
		ORDER BY o.order_id DESC LIMIT 0 + $4`
)

// ListFiles returns the numbers of the files with orders that are not fetched yet.
func (t orders) ListFiles() ([]int, error) {
	return db.List(t.session, scanNumber, listOrderFiles)
}

const (
	orderCounts = `COUNT(*), MIN(o.created_at), MIN(CASE WHEN o.urgent THEN o.created_at END),
		MIN(CASE WHEN o.urgent THEN NULL ELSE o.created_at END),
		MIN(CASE WHEN o.urgent AND o.in_file IS NOT NULL THEN o.created_at END),
		SUM(CASE WHEN o.unreachable THEN 1 ELSE 0 END)`
	countOpenOrders = `SELECT 0, o.state, ` + orderCounts + ` FROM orders o WHERE o.done_at IS NULL
		GROUP BY o.state`
	countFailedOrders = `SELECT 0, 'failed', ` + orderCounts + ` FROM orders o
		WHERE o.state = 'failed' AND o.dropped_at IS NULL HAVING COUNT(*) > 0`
	countOpenByProgram = `SELECT c.program_id, o.state, ` + orderCounts + `
		FROM orders o JOIN cards c ON c.card_id = o.card_id WHERE o.done_at IS NULL
		GROUP BY c.program_id, o.state`
	countFailedByProgram = `SELECT c.program_id, 'failed', ` + orderCounts + `
		FROM orders o JOIN cards c ON c.card_id = o.card_id
		WHERE o.state = 'failed' AND o.dropped_at IS NULL GROUP BY c.program_id`
)

// programOrders counts the orders of a program in one state.
type programOrders struct {
	programID int
	store.OrderCount
}

func scanProgramOrders(row db.Scan) (p programOrders, err error) {
	err = row(&p.programID, &p.State, &p.Count, db.Time{To: &p.Oldest}, db.Time{To: &p.OldestUrgent},
		db.Time{To: &p.OldestOther}, db.Time{To: &p.OldestInFile}, &p.Unreachable)
	return p, err
}

// Count counts the orders in each state except done.
func (t orders) Count(programs []int) ([]store.OrderCount, error) {
	open, failed := countOpenOrders, countFailedOrders
	if programs != nil {
		open, failed = countOpenByProgram, countFailedByProgram
	}
	var list []programOrders
	err := t.session.Query(db.Rows(&list, scanProgramOrders, open),
		db.Rows(&list, scanProgramOrders, failed))
	if err != nil {
		return nil, err
	}
	byState := make(map[order.State]store.OrderCount)
	for _, of := range list {
		if programs == nil || slices.Contains(programs, of.programID) {
			byState[of.State] = addCounts(byState[of.State], of.OrderCount)
		}
	}
	return slices.SortedFunc(maps.Values(byState),
		func(a, b store.OrderCount) int { return cmp.Compare(a.State, b.State) }), nil
}

// addCounts adds the counts of one state in two programs.
func addCounts(a, b store.OrderCount) store.OrderCount {
	return store.OrderCount{
		State: b.State, Count: a.Count + b.Count, Oldest: earlier(a.Oldest, b.Oldest),
		OldestUrgent: earlier(a.OldestUrgent, b.OldestUrgent),
		OldestOther:  earlier(a.OldestOther, b.OldestOther),
		OldestInFile: earlier(a.OldestInFile, b.OldestInFile),
		Unreachable:  a.Unreachable + b.Unreachable,
	}
}

// earlier returns the earlier of two times, ignoring a zero time.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// A card belongs to one program, so the numbers of cards in several programs add up.
const countOpenLocks = `SELECT l.program_id, COUNT(DISTINCT l.card_id), SUM(l.failed), MIN(l.created_at)
	FROM (SELECT c.program_id, o.card_id, 1 AS failed, o.created_at
			FROM orders o JOIN cards c ON c.card_id = o.card_id
			WHERE o.state = 'failed' AND o.dropped_at IS NULL AND o.urgent AND c.lock_type <> 'UNL'
		UNION ALL
		SELECT c.program_id, o.card_id, 0 AS failed, o.created_at
			FROM orders o JOIN cards c ON c.card_id = o.card_id
			WHERE o.done_at IS NULL AND o.state = 'sent' AND o.urgent AND c.lock_type <> 'UNL'
				AND (o.created_at < $1 OR o.in_file IS NULL AND o.created_at < $2)) l
	GROUP BY l.program_id`

// CountOpenLocks counts the locked cards that may be open at the processor.
func (t orders) CountUnconfirmedLocks(
	programs []int, inFile, other time.Time,
) (store.UnconfirmedLocks, error) {
	var all store.UnconfirmedLocks
	_, err := db.List(t.session, func(row db.Scan) (of struct{}, err error) {
		var programID int
		var locks store.UnconfirmedLocks
		err = row(&programID, &locks.Cards, &locks.Failed, db.Time{To: &locks.Oldest})
		if err == nil && (programs == nil || slices.Contains(programs, programID)) {
			all.Cards, all.Failed = all.Cards+locks.Cards, all.Failed+locks.Failed
			all.Oldest = earlier(all.Oldest, locks.Oldest)
		}
		return of, err
	}, countOpenLocks, inFile.UnixMilli(), other.UnixMilli())
	return all, err
}

const countQueues = `SELECT c.program_id, COUNT(*), MIN(o.created_at)
	FROM orders o JOIN cards c ON c.card_id = o.card_id
	WHERE o.done_at IS NULL AND (o.state = 'waiting' OR o.state = 'sent')
	GROUP BY c.program_id`

// CountQueues counts the waiting and sent orders of each program.
func (t orders) CountQueues() ([]store.QueueCount, error) {
	return db.List(t.session, func(row db.Scan) (store.QueueCount, error) {
		var q store.QueueCount
		err := row(&q.ProgramID, &q.Count, db.Time{To: &q.Oldest})
		return q, err
	}, countQueues)
}

// The two lanes are queried one after the other, because the index begins with the lane.
const hasDueOrders = `SELECT EXISTS (SELECT 1 FROM orders WHERE state = 'waiting'
		AND done_at IS NULL AND urgent = TRUE AND next_try_at <= $1)
	OR EXISTS (SELECT 1 FROM orders WHERE state = 'waiting' AND done_at IS NULL
		AND urgent = FALSE AND next_try_at <= $1)`

// HasDue reports whether a Claim at a given time may find an order.
func (t orders) HasDue(at time.Time) (bool, error) {
	var due bool
	_, err := db.Find(t.session, []any{&due}, hasDueOrders, at.UnixMilli())
	return due, err
}

const insertOrder = `INSERT INTO orders (card_id, kind, sealed_pin, created_at, done_at,
		pin_expired_at, token, sequence, state, urgent, snapshot, expire_month, expire_year,
			attempts, last_error,
		unreachable, next_try_at, claimed_by, dropped_at, begun_at, in_file, revision, tries)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
		$20, $21, $22, $23)`

// Put inserts an order under the next ID.
func (t orders) Put(o order.Order) error {
	o.Revision = 1
	row, err := orderRow(o)
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Write(insertOrder, row...)
}

// PutNumbered inserts an order that was changed before, and returns it with its ID and revision.
func (t orders) Insert(o order.Order) (order.Order, error) {
	o.Revision++
	row, err := orderRow(o)
	if err != nil {
		return o, t.session.Fail(err)
	}
	o.ID, err = t.session.Insert(db.Serial{Table: "orders", Column: "order_id"}, insertOrder,
		row...)
	return o, err
}

// orderRow returns the column values of a new order.
func orderRow(o order.Order) ([]any, error) {
	texts, err := db.JSONTexts(o.Snapshot, o.Tries)
	if err != nil {
		return nil, err
	}
	return []any{
		o.CardID, string(o.Kind), db.OrNull(o.SealedPin),
		db.Millis(o.Created), db.Millis(o.Ended), db.Millis(o.PinExpired), db.OrNull(o.Token),
		numberOrNull(o.Sequence), string(o.State), o.Kind.Urgent(), texts[0], o.ExpireMonth,
		o.ExpireYear, o.Attempts, o.LastError, o.Unreachable, nextTry(o), o.ClaimedBy,
		db.Millis(o.Dropped), db.Millis(o.Begun), numberOrNull(o.File), o.Revision, texts[1],
	}, nil
}

const updateOrder = `UPDATE orders SET sealed_pin = $1, done_at = $2, pin_expired_at = $3,
		token = $4, sequence = $5, state = $6, snapshot = $7, expire_month = $8, expire_year = $9,
		attempts = $10, last_error = $11, unreachable = $12, next_try_at = $13, claimed_by = $14,
		dropped_at = $15, begun_at = $16, in_file = $17, revision = $18, tries = $19
	WHERE order_id = $20 AND revision = $21`

// Change updates what may change in an order, and wakes the orders that it has held up.
func (t orders) Change(before order.Order, after *order.Order) error {
	texts, err := db.JSONTexts(after.Snapshot, after.Tries)
	if err != nil {
		return t.session.Fail(err)
	}
	err = t.session.Change(updateOrder, db.OrNull(after.SealedPin), db.Millis(after.Ended),
		db.Millis(after.PinExpired), db.OrNull(after.Token), numberOrNull(after.Sequence),
		string(after.State), texts[0], after.ExpireMonth, after.ExpireYear, after.Attempts,
		after.LastError, after.Unreachable, nextTry(*after), after.ClaimedBy,
		db.Millis(after.Dropped), db.Millis(after.Begun), numberOrNull(after.File),
		before.Revision+1, texts[1], before.ID, before.Revision)
	if err == nil && before.State.Blocks() && !after.State.Blocks() {
		err = t.wake(before)
	}
	if err != nil {
		return err
	}
	after.Revision = before.Revision + 1
	return nil
}

// Claim postpones orders that wait for another one, at most by parkTime. All orders of the card are
// woken, not only the one whose turn it is: when two orders of the card end at the same time,
// neither transaction sees that the other order has ended, and each would take the other order for
// the next. The statement also writes the orders that are already due, so that a transaction that
// began before one of them was postponed fails here and runs again.
const wakeOrders = `UPDATE orders
	SET next_try_at = CASE WHEN next_try_at > $2 THEN $2 ELSE next_try_at END
	WHERE card_id = $1 AND done_at IS NULL AND state = 'waiting' AND claimed_by = ''`

func (t orders) wake(settled order.Order) error {
	now, err := t.session.Now()
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Write(wakeOrders, settled.CardID, now.UnixMilli())
}

// nextTry returns the column next_try_at. It is 0 for an order that may not be tried: the state of
// the order keeps it from being claimed.
func nextTry(o order.Order) int64 {
	if o.NextTry.IsZero() {
		return 0
	}
	return o.NextTry.UnixMilli()
}

func numberOrNull(number int) any {
	if number == 0 {
		return nil
	}
	return number
}
