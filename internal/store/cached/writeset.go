package cached

import (
	"slices"
	"time"

	"mintmark/internal/domain/card"
)

// writeSet holds the keys that an Update has written so far. Until the Update ends, no entry with
// one of these keys is cached. The set is nil in a transaction that may not write.
type writeSet struct {
	memory *memory
	keys   []key
	cards  []changedCard // the latest last
}

// changedCard is a card that was cached when it was changed.
type changedCard struct {
	entry *cardEntry // before the change
	after *card.Card // as it was written; nil until then
	seq   uint64     // of its eviction
}

// evict removes the entries that a write is about to change from the cache.
func (w *writeSet) evict(keys ...key) {
	if w == nil {
		return
	}
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	w.evictLocked(keys...)
}

// evictCard is evict for a change of a card. It records the entry, so that end can cache the
// changed card.
func (w *writeSet) evictCard(before, after card.Card) {
	if w == nil {
		return
	}
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	entry := w.memory.cards[before.ID]
	w.evictLocked(cardOf(before.ID))
	owners := []int{before.CustomerID, before.HolderID, after.CustomerID, after.HolderID}
	slices.Sort(owners)
	for _, owner := range slices.Compact(owners) {
		w.evictLocked(listOf(owner))
	}
	if entry != nil {
		w.cards = append(w.cards, changedCard{entry: entry, seq: w.memory.seq})
	}
}

// evictLocked is evict for a caller that holds the lock of the memory.
func (w *writeSet) evictLocked(keys ...key) {
	for _, k := range keys {
		w.keys = append(w.keys, k)
		w.memory.evict(k)
	}
}

// noteCard records the card as it was written after its eviction.
func (w *writeSet) noteCard(after card.Card) {
	for i := range slices.Backward(w.cards) {
		if w.cards[i].entry.card.ID == after.ID {
			w.cards[i].after = &after
			return
		}
	}
}

// end ends the write set after the Update. It caches the changed cards again, unless the Update was
// rolled back or another Update has written them or their accounts since.
func (w *writeSet) end(kept bool) {
	if w == nil || len(w.keys) == 0 {
		return
	}
	m := w.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	var back []*cardEntry
	for _, c := range w.cards {
		if kept && c.isCurrent(m) {
			back = append(back, &cardEntry{card: asStored(*c.after), accounts: c.entry.accounts})
		}
	}
	m.finish(w.keys)
	for _, entry := range back {
		m.keepCard(m.seq, entry)
	}
}

// isCurrent reports whether the changed card may be cached: no other Update has written it or its
// accounts since this change. A change of the slots never stands, because the entry may lack the
// new accounts.
func (c changedCard) isCurrent(m *memory) bool {
	if c.after == nil || !c.after.Slots.Equal(c.entry.card.Slots) ||
		!m.untouched(c.seq, cardOf(c.after.ID)) {
		return false
	}
	for accountID := range c.entry.accounts {
		if !m.untouched(c.seq, accountOf(accountID)) {
			return false
		}
	}
	return true
}

// asStored returns a written card as the database returns it: with times in whole milliseconds,
// UTC.
func asStored(c card.Card) card.Card {
	for _, at := range []*time.Time{&c.Created, &c.Requested, &c.Shipped, &c.Verified, &c.Reissued,
		&c.Denied, &c.Expired, &c.Archived, &c.Modified} {
		if !at.IsZero() {
			*at = time.UnixMilli(at.UnixMilli()).UTC()
		}
	}
	return c
}
