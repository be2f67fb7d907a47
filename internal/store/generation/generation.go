// Package generation counts the restored snapshots of a sandbox: restoring one begins another
// generation. Production stays at generation 0.
package generation

import (
	"context"
	"sync/atomic"
)

// Generation is the one that this process works in. What is cached from the database is cached
// under the generation that was known before the read, so nothing of a replaced world is
// used. A nil Generation stays 0.
type Generation struct{ number atomic.Int64 }

// Number is the number of the generation, 0 in production.
func (g *Generation) Number() int64 {
	if g == nil {
		return 0
	}
	return g.number.Load()
}

// Begin notes another generation.
func (g *Generation) Begin(number int64) { g.number.Store(number) }

// In returns a context in which every transaction fails with store.ErrRestored once another world
// is put back. Work that takes several transactions runs in one, such as sending an order and
// noting what came of it. A nil Generation returns the context as it is.
func (g *Generation) In(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, g.Number())
}

// key is that of a generation in a context.
type key struct{}

// Of returns the generation that In has put into a context.
func Of(ctx context.Context) (number int64, ok bool) {
	number, ok = ctx.Value(key{}).(int64)
	return number, ok
}
