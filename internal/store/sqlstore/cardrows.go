package sqlstore

import (
	"slices"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// cardRows builds cards and accounts from rows of viewColumns, which may come in any order.
type cardRows struct {
	cards    []card.Card
	place    map[int]int // the index of a card in cards, by its ID
	accounts map[int]customer.Account
	rows     int

	card     card.Card // this and the next three fields hold the latest row
	category card.Category
	priority int
	account  customer.Account
}

// query returns a query for viewColumns.
func (r *cardRows) query(asks *customer.Standing, text string, args ...any) db.Query {
	return r.each(r.into(asks), text, args)
}

// queryCards returns a query for cardColumns with the category, priority and account of a slot.
func (r *cardRows) queryCards(text string, args ...any) db.Query {
	r.clear()
	into := append(cardInto(&r.card), (*string)(&r.category), &r.priority, &r.account.ID)
	return r.each(into, text, args)
}

func (r *cardRows) each(into []any, text string, args []any) db.Query {
	return db.Query{Text: text, Args: args, Each: func(row db.Scan) error {
		if err := row(into...); err != nil {
			return err
		}
		r.add()
		return nil
	}}
}

// into returns the scan destinations for viewColumns.
func (r *cardRows) into(asks *customer.Standing) []any {
	r.clear()
	into := append(standingInto(asks), cardInto(&r.card)...)
	return append(append(into, (*string)(&r.category), &r.priority), accountInto(&r.account)...)
}

// clear discards the rows read so far.
func (r *cardRows) clear() {
	r.rows = 0
	r.cards, r.place, r.accounts = nil, make(map[int]int), make(map[int]customer.Account)
}

func (r *cardRows) add() {
	r.rows++
	at, known := r.place[r.card.ID]
	if !known {
		at = len(r.cards)
		r.place[r.card.ID] = at
		if at == cap(r.cards) && at > 0 {
			r.cards = slices.Grow(r.cards, max(at, 9)) // capacity for one, for ten, then doubled
		}
		r.cards = append(r.cards, r.card)
	}
	if r.account.ID != 0 {
		putSlot(&r.cards[at].Slots, r.category, r.priority, r.account.ID)
		r.accounts[r.account.ID] = r.account
	}
}

// view returns the view of one card, or a view without a card if there were no rows.
func (r *cardRows) view(asks customer.Standing) store.CardView {
	view := store.CardView{Customer: asks}
	if len(r.cards) > 0 {
		view.Card, view.Accounts = r.cards[0], r.accounts
	}
	return view
}
