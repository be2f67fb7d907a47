package store

import (
	"context"
	"errors"
	"time"
)

// Snapshots saves all data of a database under names, and restores it. Only a sandbox uses it; both
// engines implement it.
//
// A world is every table but those of Snapshots itself, the keys that the database belongs to, and
// the leases of nodes. A lease says which process does something now, so there is none after a Restore
// or a Reset, and no node has a webhook then.
type Snapshots interface {
	// Save keeps everything under a name, with a note of the caller, in place of what was kept
	// under it. It is ErrSnapshotsFull when what is kept has 1 GB already.
	Save(ctx context.Context, name string, note []byte) error
	// Restore puts back what was kept under a name, and returns the note. It is ErrNotFound when
	// nothing was, and ErrOtherSchema when it was kept with other tables than those of today.
	// Transactions that run meanwhile see the world before or the world after.
	Restore(ctx context.Context, name string) (note []byte, err error)
	// Reset empties the database, as its migrations have left it, and has a closure fill it in the
	// same transaction.
	Reset(ctx context.Context, fill func(Tx) error) error
	// List returns what is kept, by name.
	List(ctx context.Context) ([]Snapshot, error)
	// Drop forgets what was kept under a name. It is ErrNotFound when nothing was.
	Drop(ctx context.Context, name string) error

	// Status is how the sandbox on this database is set. It is the zero value before the first
	// KeepSetting, Restore or Reset.
	Status(ctx context.Context) (SandboxStatus, error)
	// KeepSetting keeps the business time for all nodes and for the next start.
	KeepSetting(ctx context.Context, setting SandboxClock) error
	// Generation is another number after each Restore and Reset, on every node, also after a
	// restart. What is remembered of the database beside it is remembered under this number.
	Generation(ctx context.Context) (int64, error)
}

// HasSnapshots is a Store that has Snapshots, too.
type HasSnapshots interface {
	Store
	Snapshots() Snapshots
}

// Snapshot is what was kept under a name.
type Snapshot struct {
	Name string
	Made time.Time // by the clock of the engine
	Note []byte
}

// SandboxStatus is how the sandbox on a database is set.
type SandboxStatus struct {
	Generation int64
	// Note is the note of the world that was put back last, nil after a Reset. A node that has not
	// put it back itself finds there what is remembered beside the database.
	Note     []byte
	Setting  SandboxClock
	Settings int64 // how often KeepSetting was called
}

// SandboxClock is how the business time of a sandbox differs from the time of its engine.
type SandboxClock struct {
	Offset time.Duration
	Frozen time.Time // zero while time runs
}

var (
	// ErrOtherSchema: a snapshot was saved with other tables than those of today.
	ErrOtherSchema = errors.New("store: the snapshot was saved with other tables")
	// ErrSnapshotsFull: the snapshots take so many bytes that no further one is saved.
	ErrSnapshotsFull = errors.New("store: the snapshots take too many bytes")
	// ErrRestored: another snapshot was restored since the context was given its generation.
	ErrRestored = errors.New("store: another snapshot was restored")
)
