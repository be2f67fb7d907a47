package transfers

import (
	"context"
	"encoding/binary"
	"sync/atomic"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
)

// orderingKeys remember which transfers change the same rows, by the names of lately used cards:
// those of one user, or all of a program whose total of the day they change. They take turns; what is
// forgotten, or has changed, only costs tries.
type orderingKeys [1 << orderingBits]atomic.Pointer[orderingEntry]

const orderingBits = 14

// orderingEntry is a name of a card and the key by which its transfers take turns.
type orderingEntry struct {
	name uint64
	key  int
}

// nameOf is a name of a card as a number. Two cards of one number share a key by mistake at most.
func nameOf(name store.CardName) uint64 {
	if name.ID != 0 || len(name.Digest.First) < 8 {
		return uint64(name.ID)
	}
	return binary.LittleEndian.Uint64(name.Digest.First)
}

// place is where a name is remembered.
func (k *orderingKeys) place(name uint64) *atomic.Pointer[orderingEntry] {
	const golden = 0x9e3779b97f4a7c15 // spreads neighbors
	return &k[name*golden>>(64-orderingBits)]
}

// withTurn returns a context in which transfers that change the same rows take turns, if the name
// of the card is known.
func (k *orderingKeys) withTurn(ctx context.Context, name store.CardName) context.Context {
	number := nameOf(name)
	known := k.place(number).Load()
	if known == nil || known.name != number {
		return ctx
	}
	return store.InTurn(ctx, known.key)
}

// note remembers the key of a card's transfers.
func (k *orderingKeys) note(name store.CardName, key int) {
	entry := orderingEntry{nameOf(name), key}
	place := k.place(entry.name)
	if known := place.Load(); known == nil || *known != entry {
		place.Store(&entry)
	}
}

// orderingKeyOf is the key of transfers that change the sums of a user or, when its share has
// nothing left, the total of a program.
func orderingKeyOf(view authorization.View, counted bool) int {
	if counted && !view.Program.HasRest() {
		return -view.Card.ProgramID
	}
	return view.Card.CreatorID
}
