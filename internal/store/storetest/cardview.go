package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

var cardViews = []test{
	{"Found", viewFound},
	{"EitherTag", viewEitherTag},
	{"Missing", viewMissing},
	{"Fresh", viewFresh},
	{"OwnWrites", viewOwnWrites},
	{"List", viewList},
	{"FreshList", viewFreshList},
	{"ListLimit", viewListLimit},
}

// ways are the kinds of transaction. All of them must find the same.
var ways = map[string]func(store.Store, func(store.Tx) error) error{
	"Read":   func(s store.Store, fn func(store.Tx) error) error { return s.Read(ctx, fn) },
	"View":   func(s store.Store, fn func(store.Tx) error) error { return s.View(ctx, fn) },
	"Update": func(s store.Store, fn func(store.Tx) error) error { return s.Update(ctx, fn) },
}

var ctx = context.Background()

// findView finds a view in one kind of transaction.
func findView(
	s store.Store, way string, ofProgram, customerID int, of store.CardKey,
) (cardView store.CardView, err error) {
	err = ways[way](s, func(tx store.Tx) error {
		var err error
		cardView, err = tx.Cards().FindView(ofProgram, customerID, of)
		return err
	})
	return cardView, err
}

// standing returns the part of a customer that most acts read.
func standing(id int) customer.Standing { return person(id, programID).Standing }

// everyWay runs a closure in each kind of transaction.
func everyWay(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	for way, run := range ways {
		wantError(t, way, run(s, fn), nil)
	}
}

// wantView expects the same view in every kind of transaction, twice because a store may cache it.
func wantView(
	t *testing.T, s store.Store, customerID int, of store.CardKey, want store.CardView,
) {
	t.Helper()
	for range 2 {
		for way := range ways {
			cardView, err := findView(s, way, programID, customerID, of)
			if err != nil {
				t.Errorf("%s: %v", way, err)
			}
			wantSame(t, cardView, want)
		}
	}
}

// accountsOf returns accounts of the background by ID.
func accountsOf(ids ...int) map[int]customer.Account {
	accounts := make(map[int]customer.Account)
	for category, all := range accountIDs {
		for _, id := range all {
			if slices.Contains(ids, id) {
				accounts[id] = storedAccount(id, category)
			}
		}
	}
	return accounts
}

// viewFound finds a card with all fields and one without accounts, for a customer of the card and
// for a stranger.
func viewFound(t *testing.T, s store.Store) {
	background(t, s)
	stranger := person(104, programID)
	stranger.Mailing = customer.Address{Line1: "1 High Street", City: "Ž", Country: "US"}
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(stranger) })
	rich := kept(t, s, longestCard())
	bare := plain("bare")
	bare.Slots = card.Slots{}
	bare = kept(t, s, bare)
	creator := standing(creatorID)

	on := accountsOf(rich.Slots.All()...)
	for _, asks := range []customer.Standing{creator, stranger.Standing} {
		want := store.CardView{Customer: asks, Card: rich, Accounts: on}
		wantView(t, s, asks.ID, store.CardKey{ID: rich.ID}, want)
		wantView(t, s, asks.ID, store.CardKey{Tag: rich.Tag}, want)
	}
	wantView(t, s, creatorID, store.CardKey{ID: bare.ID},
		store.CardView{Customer: creator, Card: bare})
}

// viewEitherTag finds a card of the customer by one of two tags. If both tags match a card, the
// first tag wins, whichever card is older.
func viewEitherTag(t *testing.T, s store.Store) {
	background(t, s)
	asks := standing(creatorID)
	older, newer := kept(t, s, tagged("older")), kept(t, s, tagged("newer"))
	both := tagged("with more accounts")
	both.Slots = card.Slots{Checking: []int{205, 204}, Savings: []int{206}}
	both = kept(t, s, both)
	others := tagged("another's")
	others.CustomerID, others.HolderID, others.Slots = holderID, holderID, card.Slots{}
	others = kept(t, s, others)
	// A store that caches reads now knows the tag of the other customer's card.
	wantView(t, s, holderID, store.CardKey{Tag: others.Tag}, store.CardView{
		Customer: standing(holderID), Card: others,
	})
	wantView(t, s, creatorID, store.CardKey{ID: older.ID}, store.CardView{
		Customer: asks, Card: older, Accounts: accountsOf(older.Slots.All()...),
	})
	for of, want := range map[store.CardKey]card.Card{
		{Tag: "older", AltTag: "newer"}:      older,
		{Tag: "newer", AltTag: "older"}:      newer,
		{Tag: "nobody's", AltTag: "older"}:   older,
		{Tag: "older", AltTag: "nobody's"}:   older,
		{Tag: "nobody's", AltTag: both.Tag}:  both,
		{Tag: both.Tag, AltTag: "older"}:     both,
		{ID: newer.ID, AltTag: "older"}:      newer,
		{Tag: "nobody's", AltTag: "nobody."}: {},
		{Tag: "another's", AltTag: "older"}:  older,
	} {
		wantView(t, s, creatorID, of, store.CardView{
			Customer: asks, Card: want, Accounts: accountsOf(want.Slots.All()...),
		})
	}
}

// viewMissing distinguishes a missing customer from a missing card. An empty tag must not match a
// card without one.
func viewMissing(t *testing.T, s store.Store) {
	background(t, s)
	tagged := kept(t, s, tagged("here"))
	kept(t, s, plain("without a tag"))
	foreign := plain("elsewhere")
	foreign.ProgramID, foreign.BinID, foreign.Tag = otherProgram, otherBin, "there"
	foreign.CustomerID, foreign.HolderID, foreign.Slots = foreignID, foreignID, card.Slots{}
	foreign = kept(t, s, foreign)

	creator := store.CardView{Customer: standing(creatorID)}
	for _, of := range []store.CardKey{
		{ID: 404}, {ID: -1}, {Tag: "nowhere"}, {}, {ID: foreign.ID}, {Tag: foreign.Tag},
	} {
		wantView(t, s, creatorID, of, creator)
	}
	for way := range ways {
		for _, customerID := range []int{404, foreignID} {
			for _, of := range []store.CardKey{{ID: tagged.ID}, {Tag: tagged.Tag}, {ID: 404}} {
				_, err := findView(s, way, programID, customerID, of)
				wantError(t, way, err, store.ErrNotFound)
			}
		}
	}
}

// viewFresh changes everything that a view shows, one thing after the other, and expects to see
// each change immediately.
func viewFresh(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, tagged("fresh"))
	creator, on := storedPerson(creatorID, programID), storedAccount(201, customer.Checking)
	want := func(of store.CardKey) {
		t.Helper()
		wantView(t, s, creatorID, of, store.CardView{
			Customer: creator.Standing, Card: c, Accounts: map[int]customer.Account{on.ID: on},
		})
	}
	want(store.CardKey{ID: c.ID})
	for range 3 {
		c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
		c = changed(t, s, c)
		want(store.CardKey{ID: c.ID})
		c.Lock = card.Lock{Type: card.Unlocked, Reason: card.Unknown}
		c = changed(t, s, c)
		want(store.CardKey{Tag: "fresh"})
	}
	creator.IsLocked = true
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(creator) })
	want(store.CardKey{ID: c.ID})
	on.Balance.TenThousandths = 12345
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(on) })
	on.Revision++
	want(store.CardKey{ID: c.ID})

	// The tag moves to another card.
	c.Tag = ""
	changed(t, s, c)
	next := tagged("fresh")
	next.NickName = "next"
	c = kept(t, s, next)
	want(store.CardKey{Tag: "fresh"})
}

// viewOwnWrites reads its own writes in an Update, which then fails.
func viewOwnWrites(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("own"))
	of := store.CardKey{ID: c.ID}
	want := store.CardView{
		Customer: standing(creatorID), Card: c, Accounts: accountsOf(201),
	}
	wantView(t, s, creatorID, of, want)
	wantUpdate(t, s, "Update", errOwn, func(tx store.Tx) error {
		next := c
		next.Slots.Savings = []int{206}
		if err := tx.Cards().Change(c, &next); err != nil {
			return err
		}
		cardView, err := tx.Cards().FindView(programID, creatorID, of)
		wantSame(t, cardView, store.CardView{
			Customer: want.Customer, Card: next, Accounts: accountsOf(201, 206),
		})
		if err != nil {
			return err
		}
		return errOwn
	})
	wantView(t, s, creatorID, of, want)
}

// viewList lists the cards of a customer who created some and holds others.
func viewList(t *testing.T, s store.Store) {
	background(t, s)
	var all []card.Card
	on := make(map[int]customer.Account)
	for i, id := range sorted {
		c := plain("mixed")
		c.ID, c.NickName = id, longest(10+i)
		c.Slots = card.Slots{Checking: []int{201 + i, 205}, Savings: []int{206}[:i%2]}
		if i%2 == 0 {
			c.CustomerID, c.HolderID = holderID, creatorID
		}
		all = append(all, kept(t, s, c))
		maps.Copy(on, accountsOf(c.Slots.All()...))
	}
	foreign := plain("of somebody else")
	foreign.CustomerID, foreign.HolderID = holderID, holderID
	kept(t, s, foreign)

	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(person(104, programID)) })
	everyWay(t, s, func(r store.Tx) error {
		for _, want := range []store.CustomerCards{
			{Customer: standing(creatorID), Cards: all, Accounts: on}, {Customer: standing(104)},
		} {
			cards, err := r.Cards().ListByCustomer(programID, want.Customer.ID, store.NoLimit)
			if err != nil {
				return err
			}
			wantSame(t, cards, want)
		}
		_, err := r.Cards().ListByCustomer(programID, foreignID, store.NoLimit)
		wantError(t, "Cards.ListByCustomer", err, store.ErrNotFound)
		return nil
	})
}

// viewFreshList lists all cards of two customers again after each kind of change that the lists
// show. Stale cache entries must not show.
func viewFreshList(t *testing.T, s store.Store) {
	background(t, s)
	creator, holder := standing(creatorID), standing(holderID)
	on := storedAccount(201, customer.Checking)
	var first, second card.Card
	want := func(of customer.Standing, cards ...card.Card) {
		t.Helper()
		expected := store.CustomerCards{Customer: of, Cards: cards}
		if len(cards) > 0 {
			expected.Accounts = map[int]customer.Account{on.ID: on}
		}
		for range 2 {
			everyWay(t, s, func(r store.Tx) error {
				for _, maxRows := range []int{store.NoLimit, max(1, len(cards))} {
					list, err := r.Cards().ListByCustomer(programID, of.ID, maxRows)
					if err != nil {
						return err
					}
					wantSame(t, list, expected)
				}
				return nil
			})
		}
	}
	// Acts read a card before they change it.
	altered := func(c card.Card, alter func(*card.Card)) card.Card {
		update(t, s, func(tx store.Tx) error {
			cardView, err := tx.Cards().FindView(programID, creatorID, store.CardKey{ID: c.ID})
			if err != nil {
				return err
			}
			c = cardView.Card
			alter(&c)
			return tx.Cards().Change(cardView.Card, &c)
		})
		return c
	}
	want(creator)
	want(holder)
	first = plain("first")
	first.HolderID = creatorID
	first = kept(t, s, first)
	want(creator, first)
	want(holder)
	second = kept(t, s, plain("second"))
	want(creator, first, second)
	want(holder, second)
	second = altered(second, func(c *card.Card) { c.Lock.Type = card.Customer })
	want(creator, first, second)
	want(holder, second)
	second = altered(second, func(c *card.Card) { c.HolderID = creatorID })
	want(creator, first, second)
	want(holder)
	on.Balance.TenThousandths = 777
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(on) })
	on.Revision++
	want(creator, first, second)
	locked := storedPerson(creatorID, programID)
	locked.IsLocked, creator.IsLocked = true, true
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(locked) })
	want(creator, first, second)
}

// viewListLimit lists with a limit of exactly the number of rows, and of one less. A card counts as
// a row for each of its accounts, or as one.
func viewListLimit(t *testing.T, s store.Store) {
	background(t, s)
	many, none := plain("many"), plain("none")
	many.Slots = card.Slots{Checking: []int{201, 202}, Savings: []int{206}}
	none.Slots = card.Slots{}
	many, none = kept(t, s, many), kept(t, s, none)
	const rows = 4
	for range 2 { // a store may cache the list
		everyWay(t, s, func(r store.Tx) error {
			for _, maxRows := range []int{rows, rows + 1, store.NoLimit} {
				cards, err := r.Cards().ListByCustomer(programID, creatorID, maxRows)
				if err != nil {
					return err
				}
				wantSame(t, cards.Cards, []card.Card{many, none})
			}
			for _, maxRows := range []int{rows - 1, 1} {
				_, err := r.Cards().ListByCustomer(programID, creatorID, maxRows)
				wantError(t, "Cards.ListByCustomer", err, store.ErrTooMany)
			}
			return nil
		})
	}
}
