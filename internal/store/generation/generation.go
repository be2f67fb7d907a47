// Package generation counts the restored snapshots of a sandbox: each restore begins a new
// generation. Production stays at generation 0.
package generation

import (
	"context"
	"sync/atomic"
)

// Generation is the generation in which this process works. Data from the database is cached under
// the generation that was current before the read, so nothing from before a restore is used after
// it. A nil Generation stays 0.
type Generation struct{ number atomic.Int64 }

// Number returns the number of the generation, 0 in production.
func (g *Generation) Number() int64 {
	if g == nil {
		return 0
	}
	return g.number.Load()
}

// Begin switches to another generation.
func (g *Generation) Begin(number int64) { g.number.Store(number) }

// In returns a context in which every transaction fails with store.ErrRestored once another
// snapshot is restored. Work that takes several transactions, such as sending an order and storing
// the result, uses such a context. A nil Generation returns the context unchanged.
func (g *Generation) In(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, g.Number())
}

// key is the context key of a generation.
type key struct{}

// Of returns the generation that In added to the context.
func Of(ctx context.Context) (number int64, ok bool) {
	number, ok = ctx.Value(key{}).(int64)
	return number, ok
}
