package sqlstore

import (
	"context"
	"errors"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/store"
)

// A card and what stands on it are read by one statement: a row for each account, or a single row
// when there is none. The columns of an account that is not there are filled in, because they
// have to be read all the same.
const (
	slotColumns = `COALESCE(s.category, ''), COALESCE(a.account_id, 0),
		COALESCE(a.program_id, 0), COALESCE(a.customer_id, 0), COALESCE(a.type, ''),
		COALESCE(a.status, ''), COALESCE(a.name, ''), COALESCE(a.tag, ''),
		COALESCE(a.number_masked, ''), COALESCE(a.balance, 0),
		COALESCE(a.available_balance, 0), COALESCE(a.pending_balance, 0),
		a.balance_modified_at, a.modified_at`

	withAccounts = `
	LEFT JOIN card_slots s ON s.card_id = c.card_id
	LEFT JOIN accounts a ON a.account_id = s.account_id
	`
	orderStanding = ` ORDER BY c.card_id, s.category, s.priority`

	standingColumns = customerColumns + `, ` + storedColumns + `, ` + slotColumns

	selectStanding = `SELECT ` + standingColumns + `
	FROM customers u JOIN cards c ON c.program_id = u.program_id` + withAccounts +
		`WHERE u.program_id = $1 AND u.customer_id = $2 AND `

	// StandingByID has a name for those who measure what the database does with it alone.
	StandingByID  = selectStanding + `c.card_id = $3` + orderStanding
	standingByTag = selectStanding + `c.tag = $3` + orderStanding

	listHoldings = `SELECT ` + storedColumns + `, ` + slotColumns + ` FROM cards c` + withAccounts +
		`WHERE c.program_id = $1 AND (c.customer_id = $2 OR c.holder_id = $2)` + orderStanding
)

// FindStanding is what most requests that read ask for.
func (s *Store) FindStanding(
	ctx context.Context, programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	if s.cache == nil {
		return s.lookUp(ctx, programID, customerID, of)
	}
	if err := s.open(ctx); err != nil {
		return store.Standing{}, err
	}
	if s.cache.fresh(ctx, s.writers) {
		standing, found := s.cache.find(programID, customerID, of)
		if found {
			return standing, nil
		}
	}
	begun := s.cache.begin()
	standing, err := s.lookUp(ctx, programID, customerID, of)
	if err == nil && standing.Card.ID != 0 {
		s.cache.put(begun, standing)
	}
	return standing, err
}

// open returns the error of a store that is closed, or of a caller who has no time left.
func (s *Store) open(ctx context.Context) error {
	select {
	case <-s.closed:
		return errClosed
	default:
		return ctx.Err()
	}
}

// lookUp finds a standing in the database.
func (s *Store) lookUp(
	ctx context.Context, programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	standing, err := s.glance(ctx, programID, customerID, of)
	if !errors.Is(err, store.ErrNotFound) {
		return standing, err
	}
	err = s.View(ctx, func(r store.Reader) error {
		var err error
		standing, err = r.FindStanding(programID, customerID, of)
		return err
	})
	return standing, err
}

// glance finds a customer and a card, or not both of them. One statement sees one stable picture
// by itself, so it needs no transaction around it.
func (s *Store) glance(
	ctx context.Context, programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	one, err := s.take(ctx, s.readers)
	if err != nil {
		return store.Standing{}, err
	}
	defer func() { s.readers <- one }()
	r := &reader{ctx: ctx, session: one}
	return r.findStanding(programID, customerID, of)
}

// FindStanding needs a second look only when there is nothing to be done about the card.
func (r *reader) FindStanding(
	programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	standing, err := r.findStanding(programID, customerID, of)
	if errors.Is(err, store.ErrNotFound) {
		standing.Customer, err = r.FindCustomer(programID, customerID)
	}
	return standing, err
}

// findStanding finds the customer and the card with one statement, or not both of them.
func (r *reader) findStanding(
	programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	text, key := StandingByID, any(of.ID)
	if of.ID == 0 {
		text, key = standingByTag, of.Tag
	}
	var found gathering
	var asks customer.Customer
	into := append(customerInto(&asks), found.into()...)
	err := r.session.query(r.ctx, func(row scan) error { return found.add(row, into) },
		text, programID, customerID, key)
	if err != nil {
		return store.Standing{}, err
	}
	if len(found.cards) == 0 {
		return store.Standing{}, store.ErrNotFound
	}
	r.remember(found.cards...)
	return store.Standing{Customer: asks, Card: found.cards[0], Accounts: found.accounts}, nil
}

func (r *reader) FindHoldings(programID, customerID int) (store.Holdings, error) {
	owner, err := r.FindCustomer(programID, customerID)
	if err != nil {
		return store.Holdings{}, err
	}
	var found gathering
	into := found.into()
	err = r.session.query(r.ctx, func(row scan) error { return found.add(row, into) },
		listHoldings, programID, customerID)
	if err != nil {
		return store.Holdings{}, err
	}
	r.remember(found.cards...)
	return store.Holdings{Customer: owner, Cards: found.cards, Accounts: found.accounts}, nil
}

// gathering puts cards and accounts together from rows that come in the order of the cards, and
// of the priorities on each.
type gathering struct {
	cards    []card.Card
	accounts map[int]customer.Account

	card     card.Card // of the row that was read last, as are the two below
	category card.Category
	account  customer.Account
}

// into are where the values of storedColumns and slotColumns go.
func (g *gathering) into() []any {
	g.clear()
	into := append(cardInto(&g.card), &g.category)
	return append(into, accountInto(&g.account)...)
}

func (g *gathering) add(row scan, into []any) error {
	if err := row(into...); err != nil {
		return err
	}
	g.keep()
	return nil
}

// clear begins anew.
func (g *gathering) clear() {
	g.cards, g.accounts = nil, make(map[int]customer.Account)
}

// keep takes over the row that was read last.
func (g *gathering) keep() {
	last := len(g.cards) - 1
	if last < 0 || g.cards[last].ID != g.card.ID {
		g.cards = append(g.cards, g.card)
		last++
	}
	if g.account.ID != 0 {
		appendSlot(&g.cards[last].Slots, g.category, g.account.ID)
		g.accounts[g.account.ID] = g.account
	}
}
