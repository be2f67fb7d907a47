package sqlstore

import (
	"math"
	"slices"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/store/sqlstore/db"
)

// reconciliations implements reconciled.Reconciliations on the table reconciliations.
type reconciliations struct{ *tx }

const (
	reconciliationColumns = `r.reconciliation_id, r.program_id, r.kind, r.list_at, r.made_at,
			r.digest, r.who,
		r.compared, r.same, r.in_flight, r.different, r.sorts`

	findReconciliation = `SELECT ` + reconciliationColumns + `, r.differences FROM reconciliations r
		WHERE r.reconciliation_id = $1`
	listReconciliations = `SELECT ` + reconciliationColumns + `, '[]' FROM reconciliations r
		WHERE ($1 = '' OR r.kind = $1) AND r.reconciliation_id < $2
		ORDER BY r.reconciliation_id DESC LIMIT 0 + $3`
	listReconciliationsOfProgram = `SELECT ` + reconciliationColumns + `, '[]'
		FROM reconciliations r
		WHERE ($1 = '' OR r.kind = $1) AND r.reconciliation_id < $2 AND r.program_id = $4
		ORDER BY r.reconciliation_id DESC LIMIT 0 + $3`
	listLastReconciliations = `SELECT ` + reconciliationColumns + `, '[]' FROM reconciliations r
		WHERE r.reconciliation_id IN
				(SELECT MAX(reconciliation_id) FROM reconciliations GROUP BY program_id, kind)
			AND ($1 = '' OR r.kind = $1) AND r.reconciliation_id < $2
		ORDER BY r.reconciliation_id DESC LIMIT 0 + $3`

	insertReconciliation = `INSERT INTO reconciliations (program_id, kind, list_at, made_at, digest,
			who, compared, same, in_flight, different, sorts, differences)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
)

var reconciliationID = db.Serial{Table: "reconciliations", Column: "reconciliation_id"}

func scanReconciliation(row db.Scan) (reconciled.Report, error) {
	var r reconciled.Report
	err := row(&r.ID, &r.ProgramID, &r.Kind, db.Time{To: &r.At}, db.Time{To: &r.Made}, &r.Digest,
		&r.Who, &r.Compared, &r.Equal, &r.InFlight, &r.Different, db.JSON{To: &r.BySort},
		db.JSON{To: &r.Differences})
	return r, err
}

// Find returns a report with its differences.
func (t reconciliations) Find(id int) (reconciled.Report, error) {
	return db.One(t.session, scanReconciliation, findReconciliation, id)
}

// List returns reports, newest first.
func (t reconciliations) List(of reconciled.Query) ([]reconciled.Report, error) {
	before := of.Before
	if before == 0 {
		before = math.MaxInt32 + 1
	}
	args := []any{string(of.Kind), before, of.Limit}
	if of.Programs == nil {
		text := listReconciliations
		if of.Last {
			text = listLastReconciliations
		}
		return db.List(t.session, scanReconciliation, text, args...)
	}
	var list []reconciled.Report
	var queries []db.Query
	for _, id := range of.Programs {
		queries = append(queries, db.Rows(&list, scanReconciliation, listReconciliationsOfProgram,
			append(args, id)...))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b reconciled.Report) int { return b.ID - a.ID })
	return list[:min(len(list), of.Limit)], nil
}

// Put inserts a report under the next ID.
func (t reconciliations) Put(r *reconciled.Report) error {
	texts, err := db.JSONTexts(r.BySort, r.Differences)
	if err != nil {
		return t.session.Fail(err)
	}
	r.ID, err = t.session.Insert(reconciliationID, insertReconciliation, r.ProgramID,
		string(r.Kind),
		r.At.UnixMilli(), r.Made.UnixMilli(), r.Digest, r.Who, r.Compared, r.Equal, r.InFlight,
		r.Different, texts[0], texts[1])
	return err
}

// A page follows the card IDs of all programs, so that each card is looked at once, however many
// pages there are. The index on the orders of a card includes when they ended.
const (
	listCardPage = `SELECT c.card_id, c.status, c.lock_type, c.lock_reason, c.last_four,
			c.expire_year, c.expire_month, c.created_at
		FROM cards c WHERE c.program_id = $1 AND c.card_id > $2
		ORDER BY c.card_id LIMIT 0 + $3`
	listOrdersOpen = `SELECT o.card_id, o.kind, o.created_at
		FROM cards c JOIN orders o ON o.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id > $2 AND c.card_id <= $3 AND o.done_at IS NULL
			AND o.state <> 'held'`
	listOrdersAnswered = `SELECT o.card_id, o.kind, o.done_at
		FROM cards c JOIN orders o ON o.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id > $2 AND c.card_id <= $3 AND o.done_at >= $4`
	listReported = `SELECT r.card_id, r.kind, r.received_at
		FROM cards c JOIN reports r ON r.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id > $2 AND c.card_id <= $3 AND r.received_at >= $4
			AND r.result = 'applied' AND (r.kind = 'compromised' OR r.kind = 'pinTriesExceeded')`
)

func scanComparedCard(row db.Scan) (reconciled.Card, error) {
	var c reconciled.Card
	err := row(&c.ID, &c.Status, &c.Lock.Type, &c.Lock.Reason, &c.LastFour, &c.ExpireYear,
		&c.ExpireMonth, db.Time{To: &c.Created})
	return c, err
}

// askedOrder is an order that a list may lack, and its card.
type askedOrder struct {
	cardID int
	reconciled.Asked
}

func scanAskedOrder(row db.Scan) (askedOrder, error) {
	var a askedOrder
	err := row(&a.cardID, &a.Kind, db.Time{To: &a.Since})
	a.Kind = kindOf(a.Kind)
	return a, err
}

// scanReportedLock scans a lock that the processor has reported, for which no order was written.
func scanReportedLock(row db.Scan) (askedOrder, error) {
	var a askedOrder
	var kind order.ReportKind
	err := row(&a.cardID, &kind, db.Time{To: &a.Since})
	a.Kind = order.Lock
	if kind == order.Compromised {
		a.Kind = order.Hotlist
	}
	return a, err
}

// ListCards returns a page of cards, with the orders that a list made at a given time may lack.
func (t reconciliations) ListCards(
	programID, after, limit int, at time.Time,
) ([]reconciled.Card, error) {
	page, err := db.List(t.session, scanComparedCard, listCardPage, programID, after, limit)
	if err != nil || len(page) == 0 {
		return nil, err
	}
	last := page[len(page)-1].ID
	var orders []askedOrder
	err = t.session.Query(
		db.Rows(&orders, scanAskedOrder, listOrdersOpen, programID, after, last),
		db.Rows(&orders, scanAskedOrder, listOrdersAnswered, programID, after, last,
			at.UnixMilli()),
		db.Rows(&orders, scanReportedLock, listReported, programID, after, last, at.UnixMilli()))
	if err != nil {
		return nil, err
	}
	of := make(map[int][]reconciled.Asked)
	for _, a := range orders {
		of[a.cardID] = append(of[a.cardID], a.Asked)
	}
	for i := range page {
		page[i].Asked = of[page[i].ID]
	}
	return page, nil
}

// The column available_balance is the amount before holds.
const listAccountPage = `SELECT a.account_id, a.status, a.balance, a.available_balance - a.held,
		a.held, COALESCE(a.balance_changed_at, a.balance_modified_at)
	FROM accounts a WHERE a.program_id = $1 AND a.account_id > $2
	ORDER BY a.account_id LIMIT 0 + $3`

func scanComparedAccount(row db.Scan) (reconciled.Account, error) {
	var a reconciled.Account
	err := row(&a.ID, &a.Status, &a.Balance.TenThousandths, &a.Available.TenThousandths,
		&a.Held.TenThousandths, db.Time{To: &a.Changed})
	return a, err
}

// ListAccounts returns a page of accounts, including closed ones.
func (t reconciliations) ListAccounts(programID, after, limit int) ([]reconciled.Account, error) {
	return db.List(t.session, scanComparedAccount, listAccountPage, programID, after, limit)
}

// CountOrders is CountInSpan of orders.
func (t reconciliations) CountOrders(of reconciled.OrderQuery) ([]reconciled.OrderCount, error) {
	return orders(t).CountInSpan(of)
}

// ListOrders is ListInSpan of orders.
func (t reconciliations) ListOrders(of reconciled.OrderQuery) ([]order.Order, error) {
	return orders(t).ListInSpan(of)
}

// The orders of a span of time, as a reconciliation counts and lists them. If the previous version
// has ended an order, only its end date shows it.
const (
	countOrdersInSpan = `SELECT o.kind, o.state, o.done_at IS NOT NULL, o.dropped_at IS NOT NULL,
			o.done_at IS NULL AND o.in_file IS NOT NULL, COUNT(*)
		FROM orders o JOIN cards c ON c.card_id = o.card_id
		WHERE o.created_at >= $1 AND o.created_at < $2 AND c.program_id = $3
		GROUP BY o.kind, o.state, o.done_at IS NOT NULL, o.dropped_at IS NOT NULL,
			o.done_at IS NULL AND o.in_file IS NOT NULL`

	// Orders that are open or have failed are few among those of a long span: their own indexes
	// find them, not the one on created_at, which created_at + 0 rules out.
	listUnansweredInSpan = `SELECT ` + orderColumns + ` FROM orders o JOIN cards c ON c.card_id =
			o.card_id
		WHERE o.done_at IS NULL AND (o.state = 'waiting' OR o.state = 'held' OR o.state = 'sent')
			AND o.created_at + 0 >= $1 AND o.created_at + 0 < $2 AND c.program_id = $3
		ORDER BY o.order_id LIMIT 0 + $4`
	listFailedInSpan = `SELECT ` + orderColumns + ` FROM orders o
			JOIN cards c ON c.card_id = o.card_id
		WHERE o.state = 'failed' AND o.dropped_at IS NULL AND o.created_at + 0 >= $1
			AND o.created_at + 0 < $2 AND c.program_id = $3
		ORDER BY o.order_id LIMIT 0 + $4`
)

func scanSpanCount(row db.Scan) (reconciled.OrderCount, error) {
	var c reconciled.OrderCount
	var ended bool
	err := row(&c.Kind, &c.State, &ended, &c.Dropped, &c.InFile, &c.Count)
	c.Kind = kindOf(c.Kind)
	if c.State == order.Waiting && ended {
		c.State = order.Done
	}
	return c, err
}

// CountInSpan counts the orders of a span by kind and state. A pair may occur twice.
func (t orders) CountInSpan(of reconciled.OrderQuery) ([]reconciled.OrderCount, error) {
	return db.List(t.session, scanSpanCount, countOrdersInSpan, of.From.UnixMilli(),
		of.To.UnixMilli(),
		of.ProgramID)
}

// ListInSpan returns the orders of a span that are open, or those that have failed.
func (t orders) ListInSpan(of reconciled.OrderQuery) ([]order.Order, error) {
	text := listUnansweredInSpan
	if of.Failed {
		text = listFailedInSpan
	}
	return db.List(t.session, scanOrder, text, of.From.UnixMilli(), of.To.UnixMilli(), of.ProgramID,
		of.Limit)
}
