package sqlstore

import (
	"cmp"
	"math"
	"slices"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// One statement reads a customer, a card and its accounts: a row for each account, or one row for a
// card without accounts. The rows are not sorted, because sorting costs the database more than
// ordering them here.
var (
	viewColumns = standingColumns + `, ` + cardColumns + `, s.category, s.priority, ` +
		accountColumns

	findViewByID = `SELECT ` + viewColumns + `
		FROM customers u JOIN cards c ON c.program_id = u.program_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		WHERE u.program_id = $1 AND u.customer_id = $2 AND c.card_id = $3`
	findViewByTag = `SELECT ` + viewColumns + `
		FROM customers u JOIN cards c ON c.program_id = u.program_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		WHERE u.program_id = $1 AND u.customer_id = $2 AND c.tag = $3`
	findViewByTags = `SELECT ` + viewColumns + `
		FROM customers u JOIN cards c ON c.program_id = u.program_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		WHERE u.program_id = $1 AND u.customer_id = $2 AND c.card_id = (SELECT card_id FROM cards
			WHERE program_id = $1 AND tag IN ($3, $4) AND (customer_id = $2 OR holder_id = $2)
			ORDER BY tag <> $3 LIMIT 1)`
	listByCustomer = `SELECT ` + viewColumns + `
		FROM customers u JOIN cards c ON c.program_id = u.program_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		WHERE u.program_id = $1 AND u.customer_id = $2
			AND (c.customer_id = $2 OR c.holder_id = $2)
		LIMIT 0 + $3`
)

func (t cards) FindView(
	programID, customerID int, of store.CardKey,
) (store.CardView, error) {
	text, args := viewQuery(programID, customerID, of)
	asks, rows, err := t.findAround(text, args...)
	if err != nil {
		return store.CardView{}, err
	}
	return rows.view(asks), nil
}

// viewQuery returns the query for a view, and its arguments.
func viewQuery(programID, customerID int, of store.CardKey) (text string, args []any) {
	switch {
	case of.ID != 0:
		return findViewByID, []any{programID, customerID, of.ID}
	case of.AltTag == "":
		return findViewByTag, []any{programID, customerID, of.Tag}
	}
	return findViewByTags, []any{programID, customerID, of.Tag, of.AltTag}
}

func (t cards) ListByCustomer(
	programID, customerID, maxRows int,
) (store.CustomerCards, error) {
	limit := math.MaxInt32
	if maxRows != store.NoLimit {
		limit = maxRows + 1 // one more shows that there are too many
	}
	owner, rows, err := t.findAround(listByCustomer, programID, customerID, limit)
	if err != nil {
		return store.CustomerCards{}, err
	}
	if rows.rows == limit {
		return store.CustomerCards{}, store.ErrTooMany
	}
	slices.SortFunc(rows.cards, func(a, b card.Card) int { return cmp.Compare(a.ID, b.ID) })
	return store.CustomerCards{
		Customer: owner, Cards: rows.cards, Accounts: rows.accounts,
	}, nil
}

// FindFullView also looks up the customer alone, in the same round trip: the query for both finds
// no row if the card is missing.
func (t cards) FindFullView(of store.FullCardQuery) (store.FullCardView, error) {
	var full store.FullCardView
	var rows cardRows
	var asks customer.Standing
	err := t.session.Query(append(issuingQueries(&full.Program, of.ProgramID),
		rows.query(&asks, findViewByID, of.ProgramID, of.CustomerID, of.CardID),
		db.Row(standingInto(&asks), findStanding, of.ProgramID, of.CustomerID),
		db.Row(customerInto(&full.Creator), findCreator, of.ProgramID, of.CardID),
		db.Rows(&full.Attempts, scanTime, listAttempts, of.CardID, of.Kind, of.Limit))...)
	if err == nil && asks.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.FullCardView{}, err
	}
	full.CardView = rows.view(asks)
	if len(rows.cards) == 0 {
		full.Creator, full.Attempts = customer.Customer{}, nil
	}
	return full, nil
}

// findAround finds a customer, and cards with their accounts. The query finds both or neither. If
// it finds no card, it is sent again together with a query for the customer alone, so that both see
// one snapshot. Its first two arguments are the program and the customer.
func (t *tx) findAround(
	text string, args ...any,
) (asks customer.Standing, rows cardRows, err error) {
	around := rows.query(&asks, text, args...)
	err = t.session.Query(around)
	if err == nil && len(rows.cards) == 0 {
		err = t.session.Query(around, db.Row(standingInto(&asks), findStanding, args[:2]...))
	}
	if err == nil && asks.ID == 0 {
		err = store.ErrNotFound
	}
	return asks, rows, err
}
