package transfers

import (
	"encoding/binary"
	"sync/atomic"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
)

// orderingKeys caches what transfers change, by the names of recently used cards: the sums of a
// user, or the total of a program's day, and an account. Transfers that change the same rows take
// turns; a missing or outdated entry only costs retries.
type orderingKeys [1 << orderingBits]atomic.Pointer[orderingEntry]

const orderingBits = 14

// orderingEntry holds the name of a card and the contention of its transfers.
type orderingEntry struct {
	name       uint64
	contention store.Contention
}

// nameOf returns the name of a card as a number. Two cards with the same number only share a turn
// needlessly.
func nameOf(name store.CardRef) uint64 {
	if name.ID != 0 || len(name.Digest.First) < 8 {
		return uint64(name.ID)
	}
	return binary.LittleEndian.Uint64(name.Digest.First)
}

// slot returns the place of a name.
func (k *orderingKeys) slot(name uint64) *atomic.Pointer[orderingEntry] {
	const golden = 0x9e3779b97f4a7c15 // spreads neighbors
	return &k[name*golden>>(64-orderingBits)]
}

// contentionOf returns the contention of a card's transfers, as far as known.
func (k *orderingKeys) contentionOf(name store.CardRef) store.Contention {
	number := nameOf(name)
	known := k.slot(number).Load()
	if number == 0 || known == nil || known.name != number {
		return store.Contention{}
	}
	return known.contention
}

// note stores the contention of a card's transfers.
func (k *orderingKeys) note(name store.CardRef, contention store.Contention) {
	entry := orderingEntry{nameOf(name), contention}
	if entry.name == 0 || contention.Sums == 0 {
		return
	}
	place := k.slot(entry.name)
	if known := place.Load(); known == nil || *known != entry {
		place.Store(&entry)
	}
}

// sumsOf returns the sums that a transfer changes: those of a user or, if its share has nothing
// left, the total of a program.
func sumsOf(view authorization.View, counted bool) int {
	if counted && !view.Program.HasRest() {
		return -view.Card.ProgramID
	}
	return view.Card.CreatorID
}
