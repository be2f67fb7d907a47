// Package sqlstore implements the contract of package store in SQL. Every statement on a table is
// in the file of that table. Package card decides what a card may do, package issuing what an act
// reads and writes. Package migrations creates the tables.
//
// The statements on cards are composed once, at startup, from one list of columns (cardcolumns.go).
// Every other statement is complete in its file.
//
// A statement is written once, in the subset of SQL that SQLite and PostgreSQL share (decision 4):
// numbered placeholders, ON CONFLICT. A limit is written 0 + $3, because with a bare placeholder as
// a limit SQLite prepares the statement again for each value. Where the databases need different
// statements, the two are next to each other. The engines, packages sqlite and postgres, own how a
// transaction begins, commits and fails; package db defines what they have in common.
package sqlstore

import (
	"context"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/snapshot"
)

// Store is a store.Store on top of a database engine.
type Store struct {
	engine db.Engine
	batch  *batcher // nil where lookups are not worth batching
	digest func(audit.Entry) []byte
}

var _ store.HasSnapshots = (*Store)(nil)

// New returns a store on an engine. Closing the store closes the engine.
func New(engine db.Engine) *Store {
	s := &Store{engine: engine}
	if engine.BatchesReads() {
		s.batch = newBatcher(engine)
	}
	return s
}

// Read runs a closure in which each find sees its own snapshot.
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

// Update runs a closure and commits all of its writes, or none.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	t := &tx{digest: s.digest}
	return s.engine.Update(ctx, func(session db.Session) error {
		t.begin(session)
		return t.end(fn(t))
	})
}

// Dispatch runs a closure on the order queue and commits all of its writes, or none.
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

// DigestEntries sets the function that computes the digest of an audit entry.
func (s *Store) DigestEntries(digest func(audit.Entry) []byte) { s.digest = digest }

// Close closes the store and its engine.
func (s *Store) Close() error { return s.engine.Close() }
