package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/store"
)

var standings = []test{
	{"Found", standingFound},
	{"EitherTag", standingEitherTag},
	{"Missing", standingMissing},
	{"Fresh", standingFresh},
	{"OwnWrites", standingOwnWrites},
	{"Holdings", standingHoldings},
	{"FreshHoldings", standingFreshHoldings},
	{"RewrittenSlots", standingRewrittenSlots},
	{"ChangedAfterRead", standingChangedAfterRead},
}

// finders are the ways to find a standing. All must come to the same.
var finders = map[string]func(store.Store, int, int, store.CardKey) (store.CardView, error){
	"by itself": func(
		s store.Store, ofProgram, customerID int, of store.CardKey,
	) (store.CardView, error) {
		return s.FindStanding(context.Background(), ofProgram, customerID, of)
	},
	"in a Glance": func(
		s store.Store, ofProgram, customerID int, of store.CardKey,
	) (found store.CardView, err error) {
		err = s.Read(context.Background(), func(r store.Tx) error {
			var err error
			found, err = r.Cards().FindView(ofProgram, customerID, of)
			return err
		})
		return found, err
	},
	"in a View": func(
		s store.Store, ofProgram, customerID int, of store.CardKey,
	) (found store.CardView, err error) {
		err = s.View(context.Background(), func(r store.Tx) error {
			var err error
			found, err = r.Cards().FindView(ofProgram, customerID, of)
			return err
		})
		return found, err
	},
	"in an Update": func(
		s store.Store, ofProgram, customerID int, of store.CardKey,
	) (found store.CardView, err error) {
		err = s.Update(context.Background(), func(tx store.Tx) error {
			var err error
			found, err = tx.Cards().FindView(ofProgram, customerID, of)
			return err
		})
		return found, err
	},
}

// standing is what most acts look at of a person.
func standing(id int) customer.Standing { return person(id, programID).Standing }

// everyWay runs a closure that finds things, in each kind of transaction.
func everyWay(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	ctx := context.Background()
	for how, err := range map[string]error{
		"Glance": s.Read(ctx, fn), "View": s.View(ctx, fn),
		"Update": s.Update(ctx, func(tx store.Tx) error { return fn(tx) }),
	} {
		wantError(t, how, err, nil)
	}
}

// wantStanding looks for a standing in every way, twice, because a store may remember.
func wantStanding(
	t *testing.T, s store.Store, customerID int, of store.CardKey, want store.CardView,
) {
	t.Helper()
	for range 2 {
		for how, find := range finders {
			found, err := find(s, programID, customerID, of)
			if err != nil {
				t.Errorf("%s: %v", how, err)
			}
			wantSame(t, found, want)
		}
	}
}

// accountsOf are the accounts of background by their number.
func accountsOf(ids ...int) map[int]customer.Account {
	found := make(map[int]customer.Account)
	for category, all := range accountIDs {
		for _, id := range all {
			if slices.Contains(ids, id) {
				found[id] = account(id, category)
			}
		}
	}
	return found
}

// standingFound finds a card with everything and one without accounts, for a customer who has to
// do with it and for one who has not.
func standingFound(t *testing.T, s store.Store) {
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
		wantStanding(t, s, asks.ID, store.CardKey{ID: rich.ID}, want)
		wantStanding(t, s, asks.ID, store.CardKey{Tag: rich.Tag}, want)
	}
	wantStanding(t, s, creatorID, store.CardKey{ID: bare.ID},
		store.CardView{Customer: creator, Card: bare})
}

// standingEitherTag finds a card by one of two tags. When both lead to a card the first counts,
// whichever card is older.
func standingEitherTag(t *testing.T, s store.Store) {
	background(t, s)
	asks := standing(creatorID)
	older, newer := kept(t, s, tagged("older")), kept(t, s, tagged("newer"))
	both := tagged("with more accounts")
	both.Slots = card.Slots{Checking: []int{205, 204}, Savings: []int{206}}
	both = kept(t, s, both)
	for of, want := range map[store.CardKey]card.Card{
		{Tag: "older", AltTag: "newer"}:      older,
		{Tag: "newer", AltTag: "older"}:      newer,
		{Tag: "nobody's", AltTag: "older"}:   older,
		{Tag: "older", AltTag: "nobody's"}:   older,
		{Tag: "nobody's", AltTag: both.Tag}:  both,
		{Tag: both.Tag, AltTag: "older"}:     both,
		{ID: newer.ID, AltTag: "older"}:      newer,
		{Tag: "nobody's", AltTag: "nobody."}: {},
	} {
		wantStanding(t, s, creatorID, of, store.CardView{
			Customer: asks, Card: want, Accounts: accountsOf(want.Slots.All()...),
		})
	}
}

// standingMissing tells a customer that is not there from a card that is not. An empty tag must
// not lead to a card without one.
func standingMissing(t *testing.T, s store.Store) {
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
		wantStanding(t, s, creatorID, of, creator)
	}
	for how, find := range finders {
		for _, customerID := range []int{404, foreignID} {
			for _, of := range []store.CardKey{{ID: tagged.ID}, {Tag: tagged.Tag}, {ID: 404}} {
				_, err := find(s, programID, customerID, of)
				wantError(t, how, err, store.ErrNotFound)
			}
		}
	}
}

// standingFresh changes one after the other all that a standing shows, and wants to see it at
// once.
func standingFresh(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, tagged("fresh"))
	creator, on := person(creatorID, programID), account(201, customer.Checking)
	want := func(of store.CardKey) {
		t.Helper()
		wantStanding(t, s, creatorID, of, store.CardView{
			Customer: creator.Standing, Card: c, Accounts: map[int]customer.Account{on.ID: on},
		})
	}
	want(store.CardKey{ID: c.ID})
	for range 3 {
		c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
		c = kept(t, s, c)
		want(store.CardKey{ID: c.ID})
		c.Lock = card.Lock{Type: card.Unlocked, Reason: card.Unknown}
		c = kept(t, s, c)
		want(store.CardKey{Tag: "fresh"})
	}
	creator.IsLocked = true
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(creator) })
	want(store.CardKey{ID: c.ID})
	on.Balance.TenThousandths = 12345
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(on) })
	want(store.CardKey{ID: c.ID})

	// The tag moves on to another card.
	c.Tag = ""
	c = kept(t, s, c)
	next := tagged("fresh")
	next.NickName = "next"
	c = kept(t, s, next)
	want(store.CardKey{Tag: "fresh"})
}

// standingOwnWrites looks in an Update at what it wrote itself, and then has it fail.
func standingOwnWrites(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("own"))
	of := store.CardKey{ID: c.ID}
	want := store.CardView{
		Customer: standing(creatorID), Card: c, Accounts: accountsOf(201),
	}
	wantStanding(t, s, creatorID, of, want)
	err := s.Update(context.Background(), func(tx store.Tx) error {
		changed := c
		changed.Slots.Savings = []int{206}
		if err := tx.Cards().Put(&changed); err != nil {
			return err
		}
		found, err := tx.Cards().FindView(programID, creatorID, of)
		wantSame(t, found, store.CardView{
			Customer: want.Customer, Card: changed, Accounts: accountsOf(201, 206),
		})
		if err != nil {
			return err
		}
		return errOwn
	})
	wantError(t, "Update", err, errOwn)
	wantStanding(t, s, creatorID, of, want)
}

// standingHoldings finds the cards of a customer who created some and holds others.
func standingHoldings(t *testing.T, s store.Store) {
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
			found, err := r.FindHoldings(programID, want.Customer.ID)
			if err != nil {
				return err
			}
			wantSame(t, found, want)
		}
		_, err := r.FindHoldings(programID, foreignID)
		wantError(t, "FindHoldings", err, store.ErrNotFound)
		return nil
	})
}

// standingFreshHoldings asks for all cards of two customers again and again, after each kind of
// change that shows in them. What the store has in memory must not show.
func standingFreshHoldings(t *testing.T, s store.Store) {
	background(t, s)
	creator, holder, on := standing(creatorID), standing(holderID), account(201, customer.Checking)
	var first, second card.Card
	want := func(of customer.Standing, cards ...card.Card) {
		t.Helper()
		for range 2 {
			found, err := s.FindFewHoldings(context.Background(), programID, of.ID)
			wantError(t, "FindFewHoldings", err, nil)
			all, err := s.FindHoldings(context.Background(), programID, of.ID)
			wantError(t, "FindHoldings", err, nil)
			wantSame(t, all, found)
			expected := store.CustomerCards{Customer: of, Cards: cards}
			if len(cards) > 0 {
				expected.Accounts = map[int]customer.Account{on.ID: on}
			}
			wantSame(t, found, expected)
		}
	}
	// Acts read a card before they change it.
	changed := func(c card.Card, change func(*card.Card)) card.Card {
		update(t, s, func(tx store.Tx) error {
			found, err := tx.Cards().FindView(programID, creatorID, store.CardKey{ID: c.ID})
			if err != nil {
				return err
			}
			c = found.Card
			change(&c)
			return tx.Cards().Put(&c)
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
	second = changed(second, func(c *card.Card) { c.Lock.Type = card.Customer })
	want(creator, first, second)
	want(holder, second)
	second = changed(second, func(c *card.Card) { c.HolderID = creatorID })
	want(creator, first, second)
	want(holder)
	on.Balance.TenThousandths = 777
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(on) })
	want(creator, first, second)
	locked := person(creatorID, programID)
	locked.IsLocked, creator.IsLocked = true, true
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(locked) })
	want(creator, first, second)
}

// standingRewrittenSlots puts a card with other accounts twice in one Update: what the store
// remembers of a card must be what is stored.
func standingRewrittenSlots(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("rewritten"))
	update(t, s, func(tx store.Tx) error {
		found, err := tx.Cards().FindView(programID, creatorID, store.CardKey{ID: c.ID})
		if err != nil {
			return err
		}
		c = found.Card
		for _, accountID := range []int{202, 203} {
			c.Slots.Checking = []int{accountID}
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
	wantSame(t, findCard(t, s, c.ID), c)
}

// standingChangedAfterRead reads a card and changes every field of it at once, there and back, in
// one Update and in two. A store that writes only what it thinks has changed must miss nothing.
func standingChangedAfterRead(t *testing.T, s store.Store) {
	background(t, s)
	stored := kept(t, s, plain("short"))
	change := func(tx store.Tx, to card.Card) error {
		read, err := tx.Cards().Find(programID, stored.ID)
		if err != nil {
			return err
		}
		to.ID, to.Revision = read.ID, read.Revision
		err = tx.Cards().Put(&to)
		stored = to
		return err
	}
	for _, to := range []card.Card{longestCard(), plain("short"), longestCard()} {
		update(t, s, func(tx store.Tx) error { return change(tx, to) })
		wantSame(t, findCard(t, s, stored.ID), stored)
	}
	update(t, s, func(tx store.Tx) error {
		if err := change(tx, plain("short")); err != nil {
			return err
		}
		return change(tx, longestCard())
	})
	wantSame(t, findCard(t, s, stored.ID), stored)
}
