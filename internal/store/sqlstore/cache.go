package sqlstore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// cache keeps what most requests ask for: cards with the accounts on them, customers, all cards of
// a customer, and programs. It serves a database that only this process answers from. A nil cache
// keeps nothing.
//
// What it answers is never older than an Update that has returned, and nobody can see the new
// state elsewhere and then the old one here: a card leaves the cache before the commit that
// changes it and cannot come back until the commit is done. Another process that writes to the
// same file shows in the database's own count of foreign commits, which is looked at before
// every Update and, between Updates, several times a second.
type cache struct {
	opened      time.Time
	looked      atomic.Int64 // when the foreign commits were counted last, in time since opened
	foreignSeen atomic.Int64 // how often there were some
	foreign     int64        // their count. Only the holder of the writing session may touch it.

	mu        sync.RWMutex
	cards     map[int]*cachedCard
	customers map[int]*customer.Customer
	tags      map[cardTag]int // where a tag was seen last; the card tells whether it still is
	holdings  map[int]store.Holdings
	programs  map[int]*program.Program // what makes a card: without settings

	changes int // counts what was invalidated
	writing int // commits under way that invalidate
}

// cachedCard is never changed: a card that was changed gets another one, and with it another memo.
type cachedCard struct {
	card     card.Card
	accounts map[int]customer.Account
	memo     store.Memo
}

type cardTag struct {
	programID int
	tag       string
}

const (
	// cacheLimit bounds each of the other maps. A card with its accounts takes about a kilobyte.
	cacheLimit = 16 << 10

	// holdingsLimit bounds how many customers all cards are kept of, and longHoldings how many
	// those may be.
	holdingsLimit = 1 << 10
	longHoldings  = 32

	// lookEvery is how often foreign commits are looked for, and trustFor how long the cache
	// answers when that could not be done.
	lookEvery = 100 * time.Millisecond
	trustFor  = 500 * time.Millisecond
)

func newCache() *cache {
	return &cache{
		opened: time.Now(), cards: make(map[int]*cachedCard),
		customers: make(map[int]*customer.Customer), tags: make(map[cardTag]int),
		holdings: make(map[int]store.Holdings), programs: make(map[int]*program.Program),
	}
}

// find answers from memory, if it can.
func (c *cache) find(programID, customerID int, of store.CardKey) (store.Standing, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	cardID := of.ID
	if cardID == 0 {
		cardID = c.tags[cardTag{programID, of.Tag}]
	}
	asks, known := c.customers[customerID]
	found, there := c.cards[cardID]
	if !known || !there || asks.ProgramID != programID || found.card.ProgramID != programID ||
		of.ID == 0 && found.card.Tag != of.Tag {
		return store.Standing{}, false
	}
	return store.Standing{
		Customer: *asks, Card: found.card, Accounts: found.accounts, Memo: &found.memo,
	}, true
}

// findHoldings answers from memory, if it can.
func (c *cache) findHoldings(programID, customerID int) (store.Holdings, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found, there := c.holdings[customerID]
	return found, there && found.Customer.ProgramID == programID
}

// findProgram answers from memory, or nil.
func (c *cache) findProgram(programID int) *program.Program {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.programs[programID]
}

// begin returns what has to be told about a read that begins now, when what it found is put.
func (c *cache) begin() int {
	if c == nil {
		return 0
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.changes
}

func (c *cache) put(begun int, found store.Standing) {
	if c == nil || found.Card.ID == 0 {
		return
	}
	asks := found.Customer // nothing else of what was found is to be kept with it
	c.keep(begun, func() {
		makeRoom(c.cards, cacheLimit)
		makeRoom(c.customers, cacheLimit)
		c.cards[found.Card.ID] = &cachedCard{card: found.Card, accounts: found.Accounts}
		c.customers[asks.ID] = &asks
		c.tag(found.Card)
	})
}

func (c *cache) putHoldings(begun int, found store.Holdings) {
	if c == nil || len(found.Cards) > longHoldings {
		return
	}
	c.keep(begun, func() {
		makeRoom(c.holdings, holdingsLimit)
		c.holdings[found.Customer.ID] = found
	})
}

func (c *cache) putProgram(begun int, found program.Program) {
	if found.ID == 0 {
		return
	}
	c.keep(begun, func() {
		makeRoom(c.programs, cacheLimit)
		c.programs[found.ID] = &found
	})
}

// keep puts in what was read, unless something was invalidated since the read began: it may be what
// was read.
func (c *cache) keep(begun int, put func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes == begun && c.writing == 0 {
		put()
	}
}

// makeRoom drops any entry of a full map. Which one hardly matters: what is asked for often is
// soon back.
func makeRoom[K comparable, V any](full map[K]V, limit int) {
	if len(full) < limit {
		return
	}
	for key := range full {
		delete(full, key)
		return
	}
}

// touched is what transactions have written, as far as the cache is concerned. What a closure
// wrote before it failed may be in it: that only costs another look at the database.
type touched struct {
	cards []written // the latest last
	more  bool      // something that several cards may show
}

// written is a card as it was written, unless that was undone.
type written struct {
	card card.Card
	kept bool
}

func (t *touched) card(c card.Card) { t.cards = append(t.cards, written{c, true}) }

// undo notes that nothing was kept of what was written since there were so many cards.
func (t *touched) undo(since int) {
	for i := range t.cards[since:] {
		t.cards[since+i].kept = false
	}
}

// shows reports whether a card may look different since something was written.
func (t *touched) shows(cardID int) bool {
	return t.more || slices.ContainsFunc(t.cards, func(w written) bool {
		return w.card.ID == cardID
	})
}

// during commits what has touched something, and keeps the cache from answering with it. What was
// in the cache before is there again as it was written: a card that is changed is soon asked for.
func (c *cache) during(t *touched, commit func() error) error {
	if c == nil || t == nil || len(t.cards) == 0 && !t.more {
		return commit()
	}
	before := c.take(t)
	err := commit()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.writing--
	for _, w := range t.cards {
		cached, there := before[w.card.ID]
		if err != nil || !w.kept || !there {
			continue
		}
		// The cache does not know the accounts that a card was given.
		delete(c.cards, w.card.ID)
		if sameSlots(w.card.Slots, cached.card.Slots) {
			c.cards[w.card.ID] = &cachedCard{card: w.card, accounts: cached.accounts}
			c.tag(w.card)
		}
	}
	return err
}

// take takes what was touched out of the cache.
func (c *cache) take(t *touched) map[int]*cachedCard {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.writing++
	if t.more {
		c.clear()
		return nil
	}
	taken := make(map[int]*cachedCard, len(t.cards))
	for _, w := range t.cards {
		delete(c.holdings, w.card.CustomerID)
		delete(c.holdings, w.card.HolderID)
		if cached, there := c.cards[w.card.ID]; there {
			taken[w.card.ID] = cached
			delete(c.cards, w.card.ID)
		}
	}
	return taken
}

// tag keeps in mind which card has a tag.
func (c *cache) tag(of card.Card) {
	if of.Tag != "" {
		makeRoom(c.tags, cacheLimit)
		c.tags[cardTag{of.ProgramID, of.Tag}] = of.ID
	}
}

func (c *cache) clear() {
	clear(c.cards)
	clear(c.customers)
	clear(c.holdings)
	clear(c.programs)
}

// distrust forgets everything, because something in the cache was not as it is stored. Whoever
// tries again then reads what is.
func (c *cache) distrust() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.clear()
}

// fresh reports whether foreign commits were looked for lately, and looks when it is time and
// nobody writes at the moment.
func (c *cache) fresh(ctx context.Context, writers chan session) bool {
	age := time.Since(c.opened) - time.Duration(c.looked.Load())
	if age < lookEvery {
		return true
	}
	select {
	case one := <-writers:
		defer func() { writers <- one }()
		return c.look(ctx, one) == nil
	default:
		return age < trustFor
	}
}

// look drops everything when another process has committed since the last look. The connection
// that writes is the one to ask: it counts the commits of all others.
func (c *cache) look(ctx context.Context, one session) error {
	if c == nil {
		return nil
	}
	at := int64(time.Since(c.opened))
	var count int64
	if err := one.queryRow(ctx, "PRAGMA data_version")(&count); err != nil {
		return err
	}
	if count != c.foreign {
		c.foreign = count
		c.foreignSeen.Add(1)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changes++
		c.clear()
	}
	c.looked.Store(at)
	return nil
}
