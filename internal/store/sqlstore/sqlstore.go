// Package sqlstore implements the contract of package store in SQL: every statement on a table is
// in the file of that table. Package card decides what a card may do, package issuing what an act
// reads and writes. Package migrations makes the tables.
//
// The statements of cards are composed once, at the start, from one list of columns
// (cardcolumns.go). Every other statement stands whole in its file.
//
// A statement is written once, in the part of SQL that SQLite and PostgreSQL share (decision 4):
// numbered placeholders, ON CONFLICT. A limit is written 0 + $3, because SQLite prepares a
// statement with a bare placeholder as a limit again for each value. Where a database needs a text
// of its own, the two texts stand side by side. How a transaction begins, commits and fails is the
// business of the engines, packages sqlite and postgres; package db holds what they have in common.
package sqlstore

import (
	"context"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/snapshot"
)

// Store is a store.Store on the engine of a database.
type Store struct {
	engine db.Engine
	batch  *batcher // nil where lookups are not worth batching
	digest func(audit.Entry) []byte
}

var _ store.HasSnapshots = (*Store)(nil)

// New returns the store on an engine, which it closes.
func New(engine db.Engine) *Store {
	s := &Store{engine: engine}
	if engine.BatchesReads() {
		s.batch = newBatcher(engine)
	}
	return s
}

// Read runs a closure in which each find sees a snapshot of its own.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{ctx: ctx, batch: s.batch}
	return s.engine.Read(ctx, func(session db.Session) error {
		t.begin(&db.ReadOnly{Session: session})
		return t.end(fn(t))
	})
}

// View runs a closure in which all finds see one snapshot.
func (s *Store) View(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{}
	return s.engine.View(ctx, func(session db.Session) error {
		t.begin(&db.ReadOnly{Session: session})
		return t.end(fn(t))
	})
}

// Update runs a closure and keeps what it wrote, or nothing.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{digest: s.digest}
	return s.engine.Update(ctx, func(session db.Session) error {
		t.begin(session)
		return t.end(fn(t))
	})
}

// Dispatch runs a closure over the orders and keeps what it wrote, or nothing.
func (s *Store) Dispatch(ctx context.Context, fn func(store.OrderQueue) error) error {
	return s.engine.Dispatch(ctx, func(session db.Session) error {
		t := &tx{session: session}
		if err := fn(orderQueue{orders{t}}); err != nil {
			return err
		}
		return t.noTime
	})
}

// Snapshots returns the snapshots of the store, which save all data under a name and restore it.
func (s *Store) Snapshots() store.Snapshots {
	return snapshot.New(s.engine, func(session db.Session, fn func(store.Tx) error) error {
		t := &tx{digest: s.digest}
		t.begin(session)
		return t.end(fn(t))
	})
}

// DigestEntries sets the function that digests audit entries.
func (s *Store) DigestEntries(digest func(audit.Entry) []byte) { s.digest = digest }

// Close ends the store and its engine.
func (s *Store) Close() error { return s.engine.Close() }
