package store

import "context"

// Turn names what an Update changes that others change, too. It is 0 where that is not known. The
// closure of the Update may say so: another try goes by that.
type Turn struct {
	Sums    int // a user, or a program as a number below 0
	Account int
}

// turnKey is the key of a turn in a context.
type turnKey struct{}

// InTurn returns a context for Updates that would collide with others of the same turn. A database
// that runs Updates side by side may run those one after the other, as far as it knows of them. What
// an Update means does not depend on it.
func InTurn(ctx context.Context, turn *Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, turn)
}

// TurnOf returns the turn that InTurn has put into a context, or nil.
func TurnOf(ctx context.Context) *Turn {
	turn, _ := ctx.Value(turnKey{}).(*Turn)
	return turn
}
