package reconciling

import (
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/outbox"
)

// A page follows the numbers of the cards of all programs, so that each is looked at once, however
// many pages there are. The index of the orders of a card holds when they have ended.
const (
	listCards = `SELECT c.card_id, c.status, c.lock_type, c.lock_reason, c.last_four,
			c.expire_year, c.expire_month, c.created_at
		FROM cards c WHERE c.program_id = $1 AND c.card_id > $2
		ORDER BY c.card_id LIMIT 0 + $3`
	listOpen = `SELECT o.card_id, o.kind, o.created_at
		FROM cards c JOIN orders o ON o.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id > $2 AND c.card_id <= $3 AND o.done_at IS NULL
			AND o.state <> 'held'`
	listAnswered = `SELECT o.card_id, o.kind, o.done_at
		FROM cards c JOIN orders o ON o.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id > $2 AND c.card_id <= $3 AND o.done_at >= $4`
	listReported = `SELECT r.card_id, r.kind, r.received_at
		FROM cards c JOIN reports r ON r.card_id = c.card_id
		WHERE c.program_id = $1 AND c.card_id > $2 AND c.card_id <= $3 AND r.received_at >= $4
			AND r.result = 'applied' AND (r.kind = 'compromised' OR r.kind = 'pinTriesExceeded')`
)

func scanCard(row db.Scan) (reconciled.Card, error) {
	var c reconciled.Card
	err := row(&c.ID, &c.Status, &c.Lock.Type, &c.Lock.Reason, &c.LastFour, &c.ExpireYear,
		&c.ExpireMonth, db.Time{To: &c.Created})
	return c, err
}

// asked is an order that a list may lack.
type asked struct {
	cardID int
	reconciled.Asked
}

func scanAsked(row db.Scan) (asked, error) {
	var a asked
	err := row(&a.cardID, &a.Kind, db.Time{To: &a.Since})
	a.Kind = outbox.KindOf(a.Kind)
	return a, err
}

// scanReported reads a lock by the processor, for which no order was written.
func scanReported(row db.Scan) (asked, error) {
	var a asked
	var kind order.ReportKind
	err := row(&a.cardID, &kind, db.Time{To: &a.Since})
	a.Kind = order.Lock
	if kind == order.Compromised {
		a.Kind = order.Hotlist
	}
	return a, err
}

// ListCards returns a page of cards, with the orders that a list of a moment may lack.
func (t Reconciliations) ListCards(
	programID, after, limit int, at time.Time,
) ([]reconciled.Card, error) {
	page, err := db.List(t.Session, scanCard, listCards, programID, after, limit)
	if err != nil || len(page) == 0 {
		return nil, err
	}
	last := page[len(page)-1].ID
	var orders []asked
	err = t.Session.Query(
		db.Rows(&orders, scanAsked, listOpen, programID, after, last),
		db.Rows(&orders, scanAsked, listAnswered, programID, after, last, at.UnixMilli()),
		db.Rows(&orders, scanReported, listReported, programID, after, last, at.UnixMilli()))
	if err != nil {
		return nil, err
	}
	of := make(map[int][]reconciled.Asked)
	for _, one := range orders {
		of[one.cardID] = append(of[one.cardID], one.Asked)
	}
	for i := range page {
		page[i].Asked = of[page[i].ID]
	}
	return page, nil
}

// The column available_balance is before the holds that stand.
const listAccounts = `SELECT a.account_id, a.status, a.balance, a.available_balance - a.held,
		a.held, COALESCE(a.balance_changed_at, a.balance_modified_at)
	FROM accounts a WHERE a.program_id = $1 AND a.account_id > $2
	ORDER BY a.account_id LIMIT 0 + $3`

func scanAccount(row db.Scan) (reconciled.Account, error) {
	var a reconciled.Account
	err := row(&a.ID, &a.Status, &a.Balance.TenThousandths, &a.Available.TenThousandths,
		&a.Held.TenThousandths, db.Time{To: &a.Changed})
	return a, err
}

// ListAccounts returns a page, of closed accounts, too.
func (t Reconciliations) ListAccounts(programID, after, limit int) ([]reconciled.Account, error) {
	return db.List(t.Session, scanAccount, listAccounts, programID, after, limit)
}

// CountOrders leaves it to the package of the table of orders.
func (t Reconciliations) CountOrders(of reconciled.OrderQuery) ([]reconciled.OrderCount, error) {
	return outbox.Orders{Session: t.Session}.CountInSpan(of)
}

// ListOrders leaves it to that package, too.
func (t Reconciliations) ListOrders(of reconciled.OrderQuery) ([]order.Order, error) {
	return outbox.Orders{Session: t.Session}.ListInSpan(of)
}
