package cached

import (
	"slices"
	"sync"
	"sync/atomic"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// memory holds the cache entries. Everything an entry depends on has a key. A write evicts its key
// before it runs. Nothing is cached under the key until its Update ends, and the end counts as
// another eviction, because a read in between may have seen the state before the commit. Evictions
// are numbered. A result from the database is cached only if none of its keys was evicted since the
// read began, and no running Update has written one of them.
type memory struct {
	mu sync.RWMutex

	entryLimit int // of each map except lists
	listLimit  int

	cards     map[int]*cardEntry
	customers map[int]*customer.Standing
	tags      map[cardTag]int // the card that last had the tag; it may have lost it since
	lists     map[int]*listEntry
	programs  map[int]*program.Issuing

	cardsByAccount, listsByAccount index

	seq     uint64 // number of the latest eviction
	floor   uint64 // results of reads that began earlier are not cached
	evicted map[key]eviction
	version uint64 // of the latest card entry
	resting int    // number of unfinished rest calls; nothing is cached until they end

	hits, misses atomic.Uint64 // finds answered from memory, and not
}

func (m *memory) count(hit bool) {
	if hit {
		m.hits.Add(1)
		return
	}
	m.misses.Add(1)
}

// cardEntry is a card with its accounts. An entry is immutable: a changed card gets a new entry
// with another version.
type cardEntry struct {
	card     card.Card
	accounts map[int]customer.Account
	version  uint64
}

// listEntry is a list of cards and the number of its rows in the database.
type listEntry struct {
	store.CustomerCards
	rows int
}

type cardTag struct {
	programID int
	tag       string
}

// eviction is the latest eviction of a key.
type eviction struct {
	seq     uint64
	running int // number of running Updates that have written the key
}

const (
	// entryBytes is the size of a card with its customer, accounts, tag and share of the lists.
	// cardsOfList is the number of cached cards per cached list: callers read few lists.
	entryBytes  = 3 << 10
	cardsOfList = 16

	// longList is the length of the longest list that is cached.
	longList = 32

	// evictionLimit bounds the map of evictions.
	evictionLimit = 8 << 10
)

func newMemory(bytes int64) *memory {
	entries := int(max(bytes/entryBytes, cardsOfList))
	return &memory{
		entryLimit: entries, listLimit: entries / cardsOfList,
		cards: make(map[int]*cardEntry), customers: make(map[int]*customer.Standing),
		tags: make(map[cardTag]int), lists: make(map[int]*listEntry),
		programs:       make(map[int]*program.Issuing),
		cardsByAccount: make(index), listsByAccount: make(index),
		evicted: make(map[key]eviction),
	}
}

// findView returns a view from memory, if its customer and card are cached.
func (m *memory) findView(programID, customerID int, of store.CardKey) (store.CardView, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	cardID := of.ID
	if cardID == 0 {
		cardID = m.tags[cardTag{programID, of.Tag}]
	}
	asks, known := m.customers[customerID]
	c, there := m.cards[cardID]
	if !known || !there || asks.ProgramID != programID || c.card.ProgramID != programID ||
		of.ID == 0 && c.card.Tag != of.Tag || of.AltTag != "" && !c.card.BelongsTo(customerID) {
		return store.CardView{}, false
	}
	return store.CardView{
		Customer: *asks, Card: c.card, Accounts: c.accounts, Version: c.version,
	}, true
}

// findList returns a list from memory, if it is cached. A list with more than maxRows rows is left
// to the wrapped store, which rejects it.
func (m *memory) findList(programID, customerID, maxRows int) (store.CustomerCards, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, there := m.lists[customerID]
	if !there || l.Customer.ProgramID != programID ||
		maxRows != store.NoLimit && l.rows > maxRows {
		return store.CustomerCards{}, false
	}
	return l.CustomerCards, true
}

// findProgram returns a program from memory, or nil.
func (m *memory) findProgram(programID int) *program.Issuing {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.programs[programID]
}

// begin returns the number of the latest eviction. A read passes it to putView, putList or
// putProgram with its result, so that the result of a read that raced with a write is not cached.
func (m *memory) begin() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.seq
}

// putView caches a view and returns its version, or 0 if it was not cached.
func (m *memory) putView(begun uint64, view store.CardView) uint64 {
	if view.Card.ID == 0 {
		return 0
	}
	asks := view.Customer // a copy, so that the pointer below does not retain the whole view
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unchanged(begun, customerOf(asks.ID)) {
		makeRoom(m.customers, m.entryLimit)
		m.customers[asks.ID] = &asks
	}
	return m.keepCard(begun, &cardEntry{card: view.Card, accounts: view.Accounts})
}

// keepCard caches an entry that was read or written after the eviction begun. The caller holds the
// lock.
func (m *memory) keepCard(begun uint64, entry *cardEntry) (version uint64) {
	c := &entry.card
	if !m.unchanged(begun, cardOf(c.ID)) || !m.unchangedAccounts(begun, entry.accounts) {
		return 0
	}
	if len(m.cards) >= m.entryLimit {
		m.dropCard(anyKey(m.cards))
	}
	m.dropCard(c.ID)
	m.version++
	entry.version = m.version
	m.cards[c.ID] = entry
	for accountID := range entry.accounts {
		m.cardsByAccount.add(accountID, c.ID)
	}
	if c.Tag != "" {
		makeRoom(m.tags, m.entryLimit)
		m.tags[cardTag{c.ProgramID, c.Tag}] = c.ID
	}
	return entry.version
}

func (m *memory) putList(begun uint64, list store.CustomerCards) {
	if len(list.Cards) > longList {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	customerID := list.Customer.ID
	if !m.unchanged(begun, customerOf(customerID)) || !m.unchanged(begun, listOf(customerID)) ||
		!m.unchangedAccounts(begun, list.Accounts) {
		return
	}
	if len(m.lists) >= m.listLimit {
		m.dropList(anyKey(m.lists))
	}
	m.dropList(customerID)
	entry := &listEntry{CustomerCards: list}
	for i := range list.Cards {
		entry.rows += max(1, len(list.Cards[i].Slots.Checking)+len(list.Cards[i].Slots.Savings))
	}
	m.lists[customerID] = entry
	for accountID := range list.Accounts {
		m.listsByAccount.add(accountID, customerID)
	}
}

func (m *memory) putProgram(begun uint64, issuing program.Issuing) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if issuing.ID != 0 && m.unchanged(begun, programOf(issuing.ID)) && m.unchanged(begun, allPrograms) {
		m.programs[issuing.ID] = &issuing
	}
}

// unchanged reports whether a key has not been evicted since the read began and no running Update
// has written it.
func (m *memory) unchanged(begun uint64, k key) bool {
	return m.resting == 0 && m.untouched(begun, k) && m.evicted[k].running == 0
}

// untouched reports whether a key has not been evicted since a given eviction.
func (m *memory) untouched(since uint64, k key) bool {
	return since >= m.floor && m.evicted[k].seq <= since
}

func (m *memory) unchangedAccounts(begun uint64, accounts map[int]customer.Account) bool {
	for accountID := range accounts {
		if !m.unchanged(begun, accountOf(accountID)) {
			return false
		}
	}
	return true
}

// evict removes all entries that depend on a key, for a running Update. The caller holds the lock.
func (m *memory) evict(k key) {
	m.seq++
	latest := m.evicted[k]
	m.evicted[k] = eviction{seq: m.seq, running: latest.running + 1}
	switch k.kind {
	case cardKind:
		m.dropCard(k.id)
	case customerKind:
		delete(m.customers, k.id)
		m.dropList(k.id)
	case listKind:
		m.dropList(k.id)
	case accountKind:
		for _, cardID := range m.cardsByAccount.take(k.id) {
			m.dropCard(cardID)
		}
		for _, customerID := range m.listsByAccount.take(k.id) {
			m.dropList(customerID)
		}
	case programKind:
		delete(m.programs, k.id)
		if k == allPrograms {
			clear(m.programs)
		}
	}
}

// finish records the end of an Update that has written the keys. The caller holds the lock.
func (m *memory) finish(keys []key) {
	m.seq++
	for _, k := range keys {
		m.evicted[k] = eviction{seq: m.seq, running: m.evicted[k].running - 1}
	}
	if len(m.evicted) < evictionLimit {
		return
	}
	// The new floor keeps the results of running reads out of the cache, so finished evictions may
	// go.
	m.floor = m.seq
	for k, e := range m.evicted {
		if e.running == 0 {
			delete(m.evicted, k)
		}
	}
}

// suspend evicts everything, and caches nothing until the returned function is called.
func (m *memory) suspend() (end func()) {
	m.restBy(1)
	m.clear()
	return func() {
		// Results of reads that began earlier are not cached after this.
		m.clear()
		m.restBy(-1)
	}
}

func (m *memory) restBy(more int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resting += more
}

// clear evicts everything, after a commit by another process or when an entry turned out to be
// wrong.
func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq++
	m.floor = m.seq
	clear(m.cards)
	clear(m.customers)
	clear(m.tags)
	clear(m.lists)
	clear(m.programs)
	clear(m.cardsByAccount)
	clear(m.listsByAccount)
}

func (m *memory) dropCard(cardID int) {
	if entry, there := m.cards[cardID]; there {
		delete(m.cards, cardID)
		for accountID := range entry.accounts {
			m.cardsByAccount.drop(accountID, cardID)
		}
	}
}

func (m *memory) dropList(customerID int) {
	if list, there := m.lists[customerID]; there {
		delete(m.lists, customerID)
		for accountID := range list.Accounts {
			m.listsByAccount.drop(accountID, customerID)
		}
	}
}

// index maps an account to the IDs of the entries that show it.
type index map[int][]int

func (i index) add(accountID, id int) { i[accountID] = append(i[accountID], id) }

// take removes and returns the IDs for an account.
func (i index) take(accountID int) []int {
	all := i[accountID]
	delete(i, accountID)
	return all
}

func (i index) drop(accountID, id int) {
	rest := slices.DeleteFunc(i[accountID], func(accountCard int) bool { return accountCard == id })
	if len(rest) == 0 {
		delete(i, accountID)
		return
	}
	i[accountID] = rest
}

// makeRoom drops a random entry of a full map. A frequently read entry is soon cached again.
func makeRoom[K comparable, V any](full map[K]V, limit int) {
	if len(full) >= limit {
		delete(full, anyKey(full))
	}
}

// anyKey returns an arbitrary key of a non-empty map.
func anyKey[K comparable, V any](of map[K]V) (some K) {
	for some = range of {
		break
	}
	return some
}
