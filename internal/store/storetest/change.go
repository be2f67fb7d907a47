package storetest

import (
	"reflect"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

// Tests of what Cards.Change stores. A store may write only the changed columns, so the tests
// change one at a time.
var changes = []test{
	{"OneProperty", changeOneProperty},
	{"Program", changeProgram},
	{"Status", changeStatus},
	{"Slots", changeSlots},
	{"Nothing", changeNothing},
	{"BeforeCreated", changeBeforeCreated},
	{"Twice", changeTwice},
}

// unlike returns two cards that differ in every property that can change alone.
func unlike() (c, other card.Card) {
	c, other = longestCard(), longestCard()
	c.Lock = card.Lock{Type: card.System, Reason: card.Lost}
	other.CustomerID, other.HolderID = holderID, creatorID
	other.Type, other.Vendor, other.BinID = "DBT", "VS", secondBin
	other.Lock = card.Lock{Type: card.Customer, Reason: card.Stolen}
	other.Tag, other.NickName, other.Name = "", "", card.Name{}
	other.QualifierCode, other.LastFour = "", "9876"
	other.ExpireMonth, other.ExpireYear, other.DigitalOnly = 1, 2030, false
	other.Slots = card.Slots{Checking: []int{205}, Savings: []int{210, 208}}
	other.PrimaryCategory = customer.Checking
	other.Created = c.Created.Add(-time.Millisecond)
	other.Archived = c.Archived.Add(time.Millisecond)
	other.Modified = c.Modified.Add(time.Millisecond)
	other.Requested, other.Verified, other.Reissued = time.Time{}, time.Time{}, time.Time{}
	other.Denied, other.Expired, other.Shipped = time.Time{}, time.Time{}, time.Time{}
	other.Replaces, other.ReplacedBy = 0, 0
	c.Orders, other.Orders = 7, card.UnknownOrders
	return c, other
}

const secondBin = 23

// notAlone are the properties that never change alone.
var notAlone = map[string]bool{"ID": true, "Revision": true, "ProgramID": true, "Status": true}

// changeOneProperty changes each property and changes it back, alone and together with the lock.
func changeOneProperty(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error { return tx.Programs().PutBin(bin(secondBin, programID)) })
	c, other := unlike()
	c = kept(t, s, c)
	stored := c
	for _, path := range properties(reflect.TypeFor[card.Card](), nil) {
		name := reflect.TypeFor[card.Card]().FieldByIndex(path).Name
		if notAlone[name] {
			continue
		}
		if reflect.DeepEqual(property(&c, path).Interface(), property(&other, path).Interface()) {
			t.Errorf("unlike gives both cards the same %s", name)
		}
		for _, withLock := range []bool{false, true} {
			for _, from := range []*card.Card{&other, &c} {
				next := stored
				if withLock {
					next.Lock, next.Modified = from.Lock, from.Modified
				}
				property(&next, path).Set(property(from, path))
				stored = changedFrom(t, s, stored, next)
			}
		}
	}
}

// properties returns the field paths of all properties of a card.
func properties(of reflect.Type, within []int) (paths [][]int) {
	for field := range of.Fields() {
		path := append(within[:len(within):len(within)], field.Index...)
		if field.Type.Kind() == reflect.Struct && field.Type != reflect.TypeFor[time.Time]() {
			paths = append(paths, properties(field.Type, path)...)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

func property(of *card.Card, path []int) reflect.Value {
	return reflect.ValueOf(of).Elem().FieldByIndex(path)
}

// changedFrom changes a card, and expects every lookup to find the change.
func changedFrom(t *testing.T, s store.Store, before, after card.Card) card.Card {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		next := after
		next.Revision = 0 // only the revision of the card that was read counts
		err := tx.Cards().Change(before, &next)
		if err == nil && next.Revision != before.Revision+1 {
			t.Errorf("revision %d became %d, want the next one", before.Revision, next.Revision)
		}
		return err
	})
	after.Revision = before.Revision + 1
	wantSame(t, findCard(t, s, after.ID), after)
	everyWay(t, s, func(tx store.Tx) error {
		cardView, err := tx.Cards().FindView(programID, creatorID, store.CardKey{ID: after.ID})
		wantSame(t, cardView.Card, after)
		wantSame(t, cardView.Accounts, accountsOf(after.Slots.All()...))
		return err
	})
	return after
}

// changeBeforeCreated changes a card before the time at which it was created by a clock that was
// ahead. The later of both times is stored, whichever columns change.
func changeBeforeCreated(t *testing.T, s store.Store) {
	background(t, s)
	before := kept(t, s, plain("ahead"))
	for _, change := range []func(*card.Card){
		func(c *card.Card) { c.Lock = card.Lock{Type: card.System, Reason: card.Stolen} },
		func(c *card.Card) { c.Status, c.Denied = card.Denied, created.Add(-time.Hour) },
		func(c *card.Card) { c.Tag = "other" },
	} {
		after := before
		change(&after)
		after.Modified = created.Add(-time.Hour)
		update(t, s, func(tx store.Tx) error { return tx.Cards().Change(before, &after) })
		if !after.Modified.Equal(created) {
			t.Errorf("got modification time %v, want %v", after.Modified, created)
		}
		wantSame(t, findCard(t, s, after.ID), after)
		before = after
	}
}

// changeProgram moves a card to another program, with everything that must belong to the program.
func changeProgram(t *testing.T, s store.Store) {
	background(t, s)
	before := plain("moves")
	before.Slots = card.Slots{}
	before = kept(t, s, before)
	after := before
	after.ProgramID, after.BinID = otherProgram, otherBin
	after.CustomerID, after.HolderID = foreignID, foreignID
	update(t, s, func(tx store.Tx) error { return tx.Cards().Change(before, &after) })
	view(t, s, func(tx store.Tx) error {
		_, err := tx.Cards().Find(programID, before.ID)
		wantError(t, "Cards.Find", err, store.ErrNotFound)
		c, err := tx.Cards().Find(otherProgram, before.ID)
		wantSame(t, c, after)
		return err
	})
}

// changeStatus gives a card every status, with the date that belongs to it.
func changeStatus(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("status"))
	for _, status := range append(card.Statuses, card.Initiated) {
		next := c
		next.Status = status
		c = changedFrom(t, s, c, possible(next))
	}
}

// changeSlots changes from each of several account lists to each of the others.
func changeSlots(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("slots"))
	lists := []card.Slots{
		{}, {Checking: []int{201}}, {Checking: []int{202}}, {Savings: []int{206}},
		{Checking: []int{201, 202}}, {Checking: []int{202, 201}},
		{Checking: []int{201}, Savings: []int{206, 207}},
	}
	for _, from := range lists {
		for _, to := range lists {
			for _, slots := range []card.Slots{from, to} {
				next := c
				next.Slots = slots
				c = changedFrom(t, s, c, next)
			}
		}
	}
}

// changeNothing writes a card unchanged: the card must exist, and gets the next revision.
func changeNothing(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("same"))
	changedFrom(t, s, c, c)
	wantUpdate(t, s, "Change of the revision before", store.ErrLostUpdate, func(tx store.Tx) error {
		same := c // at the previous revision
		return tx.Cards().Change(c, &same)
	})
}

// changeTwice changes a card several times in one Update, each time starting from the last change.
func changeTwice(t *testing.T, s store.Store) {
	background(t, s)
	stored := kept(t, s, plain("rewritten"))
	var last card.Card
	update(t, s, func(tx store.Tx) error {
		cardView, err := tx.Cards().FindView(programID, creatorID, store.CardKey{ID: stored.ID})
		if err != nil {
			return err
		}
		before := cardView.Card
		for _, to := range []card.Card{longestCard(), plain("short"), longestCard()} {
			to.ID = stored.ID
			if err := tx.Cards().Change(before, &to); err != nil {
				return err
			}
			before = to
		}
		for _, accountID := range []int{202, 203} {
			next := before
			next.Slots = card.Slots{Checking: []int{accountID}}
			if err := tx.Cards().Change(before, &next); err != nil {
				return err
			}
			before = next
		}
		last = before
		return nil
	})
	if want := stored.Revision + 5; last.Revision != want {
		t.Errorf("got revision %d, want %d", last.Revision, want)
	}
	wantSame(t, findCard(t, s, stored.ID), last)
	wantView(t, s, creatorID, store.CardKey{ID: stored.ID}, store.CardView{
		Customer: standing(creatorID), Card: last, Accounts: accountsOf(203),
	})
}
