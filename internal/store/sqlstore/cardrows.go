package sqlstore

import (
	"slices"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// cardRows builds cards and accounts out of rows of viewColumns, which may come in any order.
type cardRows struct {
	cards    []card.Card
	place    map[int]int // of a card among the cards, by its number
	accounts map[int]customer.Account
	rows     int

	card     card.Card // the four fields from here on hold the latest row
	category card.Category
	priority int
	account  customer.Account
}

// query is a query for viewColumns.
func (r *cardRows) query(asks *customer.Standing, text string, args ...any) db.Query {
	return r.each(r.into(asks), text, args)
}

// queryCards is a query for cardColumns with the category, priority and account of a slot.
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

// into returns where the values of viewColumns go.
func (r *cardRows) into(asks *customer.Standing) []any {
	r.clear()
	into := append(standingInto(asks), cardInto(&r.card)...)
	return append(append(into, (*string)(&r.category), &r.priority), accountInto(&r.account)...)
}

// clear drops what was read so far.
func (r *cardRows) clear() {
	r.rows = 0
	r.cards, r.place, r.accounts = nil, make(map[int]int), make(map[int]customer.Account)
}

// add adds the latest row.
func (r *cardRows) add() {
	r.rows++
	at, known := r.place[r.card.ID]
	if !known {
		at = len(r.cards)
		r.place[r.card.ID] = at
		if at == cap(r.cards) && at > 0 {
			r.cards = slices.Grow(r.cards, max(at, 9)) // room for one, ten, then for twice as many
		}
		r.cards = append(r.cards, r.card)
	}
	if r.account.ID != 0 {
		putSlot(&r.cards[at].Slots, r.category, r.priority, r.account.ID)
		r.accounts[r.account.ID] = r.account
	}
}

// view returns the view of one card, without a card when no row was found.
func (r *cardRows) view(asks customer.Standing) store.CardView {
	view := store.CardView{Customer: asks}
	if len(r.cards) > 0 {
		view.Card, view.Accounts = r.cards[0], r.accounts
	}
	return view
}
