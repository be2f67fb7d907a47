package store

import (
	"context"
	"errors"
	"time"
)

// Snapshots saves all data of a database as named snapshots, and restores them. Only a sandbox uses
// it; both engines implement it.
//
// A snapshot has every table except those of Snapshots itself, the keys to which the database
// belongs, and the leases of nodes. A lease names the process that is doing something now, so after
// a Restore or a Reset there are no leases, and no node owns a webhook.
type Snapshots interface {
	// Save stores all data under a name with the caller's note, replacing a snapshot of that name.
	// It fails with ErrSnapshotsFull when the snapshots already take 1 GB.
	Save(ctx context.Context, name string, note []byte) error
	// Restore restores the snapshot with a name, and returns its note. It fails with ErrNotFound
	// when there is none, and with ErrOtherSchema when it was saved with other tables than the
	// current ones. Concurrent transactions see the data either before or after the restore.
	Restore(ctx context.Context, name string) (note []byte, err error)
	// Reset empties the database to the state after its migrations, and calls fill in the same
	// transaction.
	Reset(ctx context.Context, fill func(Tx) error) error
	// List returns the snapshots by name.
	List(ctx context.Context) ([]Snapshot, error)
	// Drop deletes the snapshot with a name. It fails with ErrNotFound when there is none.
	Drop(ctx context.Context, name string) error

	// Status returns the status of the sandbox on this database. It is the zero value before the
	// first KeepSetting, Restore or Reset.
	Status(ctx context.Context) (SandboxStatus, error)
	// KeepSetting stores the business time for all nodes and for the next start.
	KeepSetting(ctx context.Context, setting SandboxClock) error
	// Generation returns a number that changes with each Restore and Reset, on every node and
	// across restarts. State derived from the database but held outside it belongs to one
	// generation.
	Generation(ctx context.Context) (int64, error)
}

// HasSnapshots is a Store that also has Snapshots.
type HasSnapshots interface {
	Store
	Snapshots() Snapshots
}

// Snapshot describes a saved snapshot.
type Snapshot struct {
	Name string
	Made time.Time // by the clock of the engine
	Note []byte
}

// SandboxStatus is the status of the sandbox on a database.
type SandboxStatus struct {
	Generation int64
	// Note is the note of the snapshot that was restored last, nil after a Reset. A node that did
	// not restore the snapshot itself reads from it the state held outside the database.
	Note     []byte
	Setting  SandboxClock
	Settings int64 // number of KeepSetting calls
}

// SandboxClock is the difference between the business time of a sandbox and the time of its engine.
type SandboxClock struct {
	Offset time.Duration
	Frozen time.Time // zero while the clock runs
}

var (
	// ErrOtherSchema: a snapshot was saved with other tables than the current ones.
	ErrOtherSchema = errors.New("store: the snapshot was saved with another schema")
	// ErrSnapshotsFull: the snapshots take too many bytes to save another.
	ErrSnapshotsFull = errors.New("store: the snapshots exceed the size limit")
	// ErrRestored: another snapshot was restored after the context got its generation.
	ErrRestored = errors.New("store: another snapshot was restored")
)
