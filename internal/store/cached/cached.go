// Package cached wraps a store in a read cache: it answers the most common reads from memory
// (decision 6). It caches cards with their accounts, customers, the cards of a customer, and the
// program data that a new card needs. It decides when an entry may be used. All other parts of the
// contract pass through to the wrapped store.
//
// A result is never older than an Update that has returned, and reads never go back in time: once a
// result has shown the new state of a card, the old state is not served. An Update evicts what it
// writes before the wrapped store commits, and no read can cache it again before the Update has
// returned. Then a changed card goes back into the cache as it was written, because it is often
// read next.
//
// The database must have one writer at a time. Then an Update may read from memory, too: an entry
// that no running Update has written equals the database. The engine detects other processes that
// write to the same file, and reports them through External.
package cached

import (
	"context"

	"mintmark/internal/store"
)

// Store wraps another store in a read cache.
type Store struct {
	store.Store
	external External
	memory   *memory
}

// Reads returns how many finds were cache hits so far, and how many were misses.
func (s *Store) Reads() (hits, misses uint64) {
	return s.memory.hits.Load(), s.memory.misses.Load()
}

var _ store.Store = (*Store)(nil)

// DefaultBytes is the default size limit of the cache.
const DefaultBytes = 48 << 20

// New wraps a store; Close closes that store, too. The cache takes at most the given bytes if cards
// have up to four accounts, but always holds a few entries.
func New(inside store.Store, external External, bytes int64) *Store {
	s := &Store{Store: inside, external: external, memory: newMemory(bytes)}
	external.OnExternalCommit(s.memory.clear)
	return s
}

// Read runs a closure in which each find sees its own snapshot.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{store: s, ctx: ctx}
	return s.Store.Read(ctx, func(inside store.Tx) error {
		t.Tx = inside
		return fn(t)
	})
}

// Update runs a closure and commits everything it wrote, or nothing.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{store: s}
	var wrote writeSet
	kept := false                      // whether what the closure wrote is on disk
	defer func() { wrote.end(kept) }() // even if the closure panics
	err := s.Store.Update(ctx, func(inside store.Tx) error {
		wrote.end(false) // the writes of a previous run were rolled back
		wrote = writeSet{memory: s.memory}
		t.Tx, t.wrote = inside, &wrote
		return fn(t)
	})
	kept = err == nil
	return err
}
