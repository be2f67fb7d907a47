package transfers

import (
	"context"
	"encoding/binary"
	"sync/atomic"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
)

// lanes remember which transfers change the same rows, by the names of cards that were used lately:
// those of one user, or all of a program whose sum of the day is kept. They take turns; what is
// forgotten, or has changed, only costs tries.
type lanes [1 << laneBits]atomic.Pointer[lane]

const laneBits = 14

// lane is a name of a card and the key by which its transfers take turns.
type lane struct {
	name uint64
	key  int
}

// nameOf is a name of a card as a number. Two cards of one number share a lane by mistake at most.
func nameOf(name store.CardName) uint64 {
	if name.ID != 0 || len(name.Digest.First) < 8 {
		return uint64(name.ID)
	}
	return binary.LittleEndian.Uint64(name.Digest.First)
}

// place is where a name is remembered.
func (l *lanes) place(name uint64) *atomic.Pointer[lane] {
	const golden = 0x9e3779b97f4a7c15 // spreads neighbors
	return &l[name*golden>>(64-laneBits)]
}

// in returns a context in which transfers that change the same rows take turns, if the name of the
// card is known.
func (l *lanes) in(ctx context.Context, name store.CardName) context.Context {
	number := nameOf(name)
	known := l.place(number).Load()
	if known == nil || known.name != number {
		return ctx
	}
	return store.InTurn(ctx, known.key)
}

// note remembers the key of a card's transfers.
func (l *lanes) note(name store.CardName, key int) {
	found := lane{nameOf(name), key}
	place := l.place(found.name)
	if known := place.Load(); known == nil || *known != found {
		place.Store(&found)
	}
}

// laneOf is the key of transfers that change the sums of a user or, when those are kept, of a
// program.
func laneOf(view authorization.View, ofProgram bool) int {
	if ofProgram {
		return -view.Card.ProgramID
	}
	return view.Card.CreatorID
}
