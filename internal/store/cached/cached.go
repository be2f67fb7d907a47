// Package cached wraps a store in a read cache: it answers the most common reads from memory
// (decision 6). It keeps cards with their accounts, customers, the cards of a customer, and what a
// new card needs of a program. It decides when an entry may be used. Every other part of the
// contract is that of the store inside.
//
// An answer is never older than an Update that has returned, and reads never go back in time: once
// an answer has shown the new state of a card, the old state is not served. An Update evicts what
// it writes before the store inside commits, and no read can put it back before the Update has
// returned. A changed card is then put back as it was written, because it is often read next.
//
// The database must have one writer at a time. Then an Update may read from memory, too: an entry
// that no running Update has written is the same in the database. The engine notices other
// processes that write to the same file, and reports them through External.
package cached

import (
	"context"

	"mintmark/internal/store"
)

// Store is a store around another one.
type Store struct {
	store.Store
	external External
	memory   *memory
}

// Reads returns how many finds were answered from memory so far, and how many were not.
func (s *Store) Reads() (hits, misses uint64) {
	return s.memory.hits.Load(), s.memory.misses.Load()
}

var _ store.Store = (*Store)(nil)

// DefaultBytes is the default limit of the entries, in bytes.
const DefaultBytes = 48 << 20

// New wraps a store, which Close closes, too. The entries take at most the given bytes if cards
// have up to four accounts; a few are kept in any case.
func New(inside store.Store, external External, bytes int64) *Store {
	s := &Store{Store: inside, external: external, memory: newMemory(bytes)}
	external.OnExternalCommit(s.memory.clear)
	return s
}

// Read runs a closure in which each find sees a snapshot of its own.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{store: s, ctx: ctx}
	return s.Store.Read(ctx, func(inside store.Tx) error {
		t.Tx = inside
		return fn(t)
	})
}

// Update runs a closure and keeps what it wrote, or nothing.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{store: s}
	var wrote writeSet
	kept := false                      // what the closure wrote is on disk
	defer func() { wrote.end(kept) }() // also when the closure panics
	err := s.Store.Update(ctx, func(inside store.Tx) error {
		wrote.end(false) // what an earlier run wrote was rolled back
		wrote = writeSet{memory: s.memory}
		t.Tx, t.wrote = inside, &wrote
		return fn(t)
	})
	kept = err == nil
	return err
}
