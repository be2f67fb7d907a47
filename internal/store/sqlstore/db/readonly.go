package db

import "mintmark/internal/store"

// ReadOnly is the session of a transaction that only reads. Its writing methods fail with
// store.ErrReadOnly. A failure does not end the transaction, because it commits nothing anyway.
type ReadOnly struct{ Session }

// Exec fails with store.ErrReadOnly.
func (*ReadOnly) Exec(string, ...any) (int64, error) { return 0, store.ErrReadOnly }

// Write fails with store.ErrReadOnly.
func (*ReadOnly) Write(string, ...any) error { return store.ErrReadOnly }

// Change fails with store.ErrReadOnly.
func (*ReadOnly) Change(string, ...any) error { return store.ErrReadOnly }

// Insert fails with store.ErrReadOnly.
func (*ReadOnly) Insert(Serial, string, ...any) (int, error) { return 0, store.ErrReadOnly }

// Number fails with store.ErrReadOnly.
func (*ReadOnly) Number(Serial) (int, error) { return 0, store.ErrReadOnly }

// AdvanceSequence fails with store.ErrReadOnly.
func (*ReadOnly) AdvanceSequence(Serial, int) error { return store.ErrReadOnly }

// Lane returns 0.
func (*ReadOnly) Lane() int { return 0 }

// Fail returns the error; the transaction continues.
func (*ReadOnly) Fail(err error) error { return err }
