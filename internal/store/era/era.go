// Package era holds the generation of the world that a process of a sandbox works in. Package store
// tells of worlds, and whoever remembers something of a database asks here under which generation.
package era

import (
	"context"
	"sync/atomic"
)

// Era is the generation that this process goes by. What is remembered of the database is remembered
// under the generation that was known before it was read, so nothing of a world that is gone is
// used. A nil Era stays 0: production has one world.
type Era struct{ generation atomic.Int64 }

// Number is the generation of the world that this process goes by, 0 in production.
func (e *Era) Number() int64 {
	if e == nil {
		return 0
	}
	return e.generation.Load()
}

// Begin notes another generation.
func (e *Era) Begin(generation int64) { e.generation.Store(generation) }

// In returns a context in which every transaction fails with store.ErrOtherWorld once another world
// is put back. Work that takes several transactions runs in one, such as sending an order and
// noting what came of it. A nil Era returns the context as it is.
func (e *Era) In(ctx context.Context) context.Context {
	if e == nil {
		return ctx
	}
	return context.WithValue(ctx, eraKey{}, e.Number())
}

// eraKey is the key of a generation in a context.
type eraKey struct{}

// Of returns the generation that In has put into a context.
func Of(ctx context.Context) (generation int64, there bool) {
	generation, there = ctx.Value(eraKey{}).(int64)
	return generation, there
}
