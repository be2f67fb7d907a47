package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/store"
)

// A card and what stands on it are read by one statement: a row for each account, or a single row
// when there is none. The rows come in any order, because a database that sorts them first takes
// them apart and puts them together once more.
const (
	slotColumns = `s.category, s.priority, ` + accountColumns

	withAccounts = `
	LEFT JOIN card_slots s ON s.card_id = c.card_id
	LEFT JOIN accounts a ON a.account_id = s.account_id
	`
	standingColumns = briefColumns + `, ` + storedColumns + `, ` + slotColumns

	selectStanding = `SELECT ` + standingColumns + `
	FROM customers u JOIN cards c ON c.program_id = u.program_id` + withAccounts +
		`WHERE u.program_id = $1 AND u.customer_id = $2 AND `

	// StandingByID has a name for those who measure what the database does with it alone.
	StandingByID   = selectStanding + `c.card_id = $3`
	standingByTag  = selectStanding + `c.tag = $3`
	standingByTags = selectStanding + `c.card_id = (SELECT card_id FROM cards
		WHERE program_id = $1 AND tag IN ($3, $4) ORDER BY tag <> $3 LIMIT 1)`
	listHoldings = selectStanding + `(c.customer_id = $2 OR c.holder_id = $2)`

	// What FindFewHoldings reads, at most: one row more than a few. A card has a row for each of
	// its accounts, up to eight.
	fewRows         = 500
	listFewHoldings = listHoldings + ` LIMIT 501`
)

// FindStanding is what most requests that read ask for.
func (s *Store) FindStanding(
	ctx context.Context, programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	if s.remembers(ctx) {
		if found, known := s.cache.find(programID, customerID, of); known {
			return found, nil
		}
	}
	begun := s.cache.begin()
	found, err := findStanding(ctx, s, programID, customerID, of)
	if err == nil {
		s.cache.put(begun, found)
	}
	return found, err
}

// FindHoldings is asked for when there are many cards, which the memory has no room for.
func (s *Store) FindHoldings(
	ctx context.Context, programID, customerID int,
) (store.Holdings, error) {
	return findHoldings(ctx, s, programID, customerID)
}

// FindFewHoldings is the query for all cards of a customer.
func (s *Store) FindFewHoldings(
	ctx context.Context, programID, customerID int,
) (store.Holdings, error) {
	if s.remembers(ctx) {
		if found, known := s.cache.findHoldings(programID, customerID); known {
			return found, nil
		}
	}
	begun := s.cache.begin()
	found, err := findFewHoldings(ctx, s, programID, customerID)
	if err == nil {
		s.cache.putHoldings(begun, found)
	}
	return found, err
}

// remembers reports whether the memory may answer.
func (s *Store) remembers(ctx context.Context) bool {
	return s.usable() == nil && s.cache != nil && s.cache.fresh(ctx, s.writers)
}

// findStanding is a FindStanding by itself.
func findStanding(
	ctx context.Context, s store.Store, programID, customerID int, of store.CardKey,
) (found store.Standing, err error) {
	err = s.Glance(ctx, func(r store.Reader) error {
		var err error
		found, err = r.FindStanding(programID, customerID, of)
		return err
	})
	return found, err
}

// findHoldings is a FindHoldings by itself.
func findHoldings(
	ctx context.Context, s store.Store, programID, customerID int,
) (found store.Holdings, err error) {
	err = s.Glance(ctx, func(r store.Reader) error {
		var err error
		found, err = r.FindHoldings(programID, customerID)
		return err
	})
	return found, err
}

// findFewHoldings is a FindFewHoldings by itself.
func findFewHoldings(
	ctx context.Context, s store.Store, programID, customerID int,
) (found store.Holdings, err error) {
	err = s.Glance(ctx, func(r store.Reader) error {
		one, ok := r.(*reader)
		if !ok {
			return errClosed // no store of this package hands out another
		}
		var err error
		found, err = one.findFewHoldings(programID, customerID)
		return err
	})
	return found, err
}

func (r *reader) FindStanding(
	programID, customerID int, of store.CardKey,
) (store.Standing, error) {
	text, args := standingQuery(programID, customerID, of)
	asks, found, err := r.findAround(text, args...)
	if err != nil {
		return store.Standing{}, err
	}
	return found.standing(asks), nil
}

// standingQuery is the query for a standing, and what it takes.
func standingQuery(programID, customerID int, of store.CardKey) (text string, args []any) {
	switch {
	case of.ID != 0:
		return StandingByID, []any{programID, customerID, of.ID}
	case of.Else == "":
		return standingByTag, []any{programID, customerID, of.Tag}
	}
	return standingByTags, []any{programID, customerID, of.Tag, of.Else}
}

func (r *reader) FindHoldings(programID, customerID int) (store.Holdings, error) {
	return r.holdings(listHoldings, math.MaxInt, programID, customerID)
}

func (r *reader) findFewHoldings(programID, customerID int) (store.Holdings, error) {
	return r.holdings(listFewHoldings, fewRows, programID, customerID)
}

// holdings finds cards in so many rows at most.
func (r *reader) holdings(text string, most, programID, customerID int) (store.Holdings, error) {
	owner, found, err := r.findAround(text, programID, customerID)
	if err != nil {
		return store.Holdings{}, err
	}
	if found.rows > most {
		return store.Holdings{}, store.ErrMany
	}
	slices.SortFunc(found.cards, func(a, b card.Card) int { return cmp.Compare(a.ID, b.ID) })
	return store.Holdings{Customer: owner, Cards: found.cards, Accounts: found.accounts}, nil
}

// findAround finds a customer and cards with what stands on them. One query finds both, or not
// both of them: only when there is no such card does it take a second look, at everything. The
// query takes the program and the customer first.
func (r *reader) findAround(
	text string, args ...any,
) (asks customer.Customer, found gathering, err error) {
	around := found.question(&asks, text, args...)
	err = r.together(around)
	if err == nil && len(found.cards) == 0 {
		err = r.together(around, briefly(&asks, findBrief, args[:2]...))
	}
	if err == nil && asks.ID == 0 {
		err = store.ErrNotFound
	}
	r.remember(found.cards...)
	return asks, found, err
}

// gathering puts cards and accounts together from rows in any order.
type gathering struct {
	cards    []card.Card
	place    map[int]int // of a card among the cards, by its number
	accounts map[int]customer.Account
	rows     int

	card     card.Card // of the row that was read last, as are those below
	category card.Category
	priority int
	account  customer.Account
}

// question is a query for standingColumns.
func (g *gathering) question(asks *customer.Customer, text string, args ...any) question {
	into := g.into(asks)
	return question{text: text, args: args, each: func(row scan) error { return g.add(row, into) }}
}

// into are where the values of standingColumns go.
func (g *gathering) into(asks *customer.Customer) []any {
	g.clear()
	into := append(briefInto(asks), cardInto(&g.card)...)
	return append(append(into, &g.category, &g.priority), accountInto(&g.account)...)
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
	g.rows = 0
	g.cards, g.place, g.accounts = nil, make(map[int]int), make(map[int]customer.Account)
}

// keep takes over the row that was read last.
func (g *gathering) keep() {
	g.rows++
	at, known := g.place[g.card.ID]
	if !known {
		at = len(g.cards)
		g.place[g.card.ID] = at
		if at == cap(g.cards) {
			g.cards = slices.Grow(g.cards, at+1) // append would copy a long list more often
		}
		g.cards = append(g.cards, g.card)
	}
	if g.account.ID != 0 {
		putSlot(&g.cards[at].Slots, g.category, g.priority, g.account.ID)
		g.accounts[g.account.ID] = g.account
	}
}

// standing is what was found about one card, or that there is none.
func (g *gathering) standing(asks customer.Customer) store.Standing {
	result := store.Standing{Customer: asks}
	if len(g.cards) > 0 {
		result.Card, result.Accounts = g.cards[0], g.accounts
	}
	return result
}
