package store

import "context"

// turnKey is the key of a turn in a context.
type turnKey struct{}

// InTurn returns a context for Updates that would collide with others of the same key, because they
// change the same rows. A database that runs Updates side by side may run those of one key one
// after the other, as far as it knows of them. What an Update means does not depend on it.
func InTurn(ctx context.Context, key int) context.Context {
	return context.WithValue(ctx, turnKey{}, key)
}

// TurnOf returns the key that InTurn has put into a context.
func TurnOf(ctx context.Context) (key int, there bool) {
	key, there = ctx.Value(turnKey{}).(int)
	return key, there
}
