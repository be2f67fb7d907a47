package cached

import (
	"slices"
	"time"

	"mintmark/internal/card"
)

// writeSet is what an Update has written so far. Nothing in it may be answered from memory, or put
// there, until the Update has ended. The nil set is that of a transaction that may not write.
type writeSet struct {
	memory *memory
	keys   []key
	cards  []changedCard // the latest last
}

// changedCard is a card that was in the memory when it was changed.
type changedCard struct {
	entry *cardEntry // as it was
	after *card.Card // nil as long as it is not written
	seq   uint64     // of its eviction
}

// evict takes out of the memory what a write is about to change.
func (w *writeSet) evict(keys ...key) {
	if w == nil {
		return
	}
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	w.evictLocked(keys...)
}

// evictCard is evict for a change of a card. It keeps the entry, to put it back as it was changed.
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

// evictLocked is evict for the holder of the memory's lock.
func (w *writeSet) evictLocked(keys ...key) {
	for _, k := range keys {
		w.keys = append(w.keys, k)
		w.memory.evict(k)
	}
}

// changed notes how a card was written after its eviction.
func (w *writeSet) changed(after card.Card) {
	for i := range slices.Backward(w.cards) {
		if w.cards[i].entry.card.ID == after.ID {
			w.cards[i].after = &after
			return
		}
	}
}

// end is called when the Update has ended. What it has kept of the cards goes back to the memory,
// unless another Update has written them, or their accounts, since.
func (w *writeSet) end(kept bool) {
	if w == nil || len(w.keys) == 0 {
		return
	}
	m := w.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	var back []*cardEntry
	for _, c := range w.cards {
		if kept && c.stands(m) {
			back = append(back, &cardEntry{card: asStored(*c.after), accounts: c.entry.accounts})
		}
	}
	m.land(w.keys)
	for _, entry := range back {
		m.keepCard(m.seq, entry)
	}
}

// stands reports whether a card is as this change has left it, with the same accounts. The memory
// does not know the accounts that a card was given.
func (c changedCard) stands(m *memory) bool {
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

// asStored returns a card that was written as it will be read: its times are whole milliseconds in
// UTC.
func asStored(c card.Card) card.Card {
	for _, at := range []*time.Time{&c.Created, &c.Requested, &c.Verified, &c.Reissued, &c.Denied,
		&c.Expired, &c.Archived, &c.Modified} {
		if !at.IsZero() {
			*at = time.UnixMilli(at.UnixMilli()).UTC()
		}
	}
	return c
}
