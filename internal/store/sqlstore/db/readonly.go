package db

import "mintmark/internal/store"

// ReadOnly is the session of a transaction that only reads. What would write fails with
// store.ErrReadOnly, and no failure ends the transaction, because it keeps nothing anyway.
type ReadOnly struct{ Session }

// Exec is store.ErrReadOnly.
func (*ReadOnly) Exec(string, ...any) (int64, error) { return 0, store.ErrReadOnly }

// Write is store.ErrReadOnly.
func (*ReadOnly) Write(string, ...any) error { return store.ErrReadOnly }

// Change is store.ErrReadOnly.
func (*ReadOnly) Change(string, ...any) error { return store.ErrReadOnly }

// Insert is store.ErrReadOnly.
func (*ReadOnly) Insert(Serial, string, ...any) (int, error) { return 0, store.ErrReadOnly }

// Number is store.ErrReadOnly.
func (*ReadOnly) Number(Serial) (int, error) { return 0, store.ErrReadOnly }

// AdvanceSequence is store.ErrReadOnly.
func (*ReadOnly) AdvanceSequence(Serial, int) error { return store.ErrReadOnly }

// Lane is 0.
func (*ReadOnly) Lane() int { return 0 }

// Fail returns the error, and the transaction goes on.
func (*ReadOnly) Fail(err error) error { return err }
