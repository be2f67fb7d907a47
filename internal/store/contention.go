package store

import "context"

// Contention names the rows that an Update changes and other Updates change, too. A field is 0 when
// it is not known. The closure of the Update may set it, for use by the next attempt.
type Contention struct {
	Sums    int // a user ID, or a program ID as a negative number
	Account int
}

// contentionKey is the context key of a Contention.
type contentionKey struct{}

// WithContention returns a context for Updates that would collide with other Updates of the same
// rows. A database that runs Updates concurrently may run these one after the other, as far as it
// knows them. It does not change the meaning of an Update.
func WithContention(ctx context.Context, c *Contention) context.Context {
	return context.WithValue(ctx, contentionKey{}, c)
}

// ContentionOf returns the Contention that WithContention added to the context, or nil.
func ContentionOf(ctx context.Context) *Contention {
	c, _ := ctx.Value(contentionKey{}).(*Contention)
	return c
}
