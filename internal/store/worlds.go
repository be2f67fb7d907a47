package store

import (
	"context"
	"time"
)

// Worlds keeps all that a database holds under names, and puts it back: what a sandbox offers
// beside a Store. Both engines have it; production never asks for it.
type Worlds interface {
	// Save keeps everything under a name, with a note of the caller, in place of what was kept
	// under it.
	Save(ctx context.Context, name string, note []byte) error
	// Restore puts back what was kept under a name, and returns the note. It is ErrNotFound when
	// nothing was. Transactions that run meanwhile see the world before or the world after.
	Restore(ctx context.Context, name string) (note []byte, err error)
	// List returns what is kept, by name.
	List(ctx context.Context) ([]SavedWorld, error)
	// Drop forgets what was kept under a name. It is ErrNotFound when nothing was.
	Drop(ctx context.Context, name string) error

	// Generation is another number after each Restore, on every node, also after a restart. What
	// is remembered of the database beside it is remembered under this number.
	Generation(ctx context.Context) (int64, error)
}

// SavedWorld is what was kept under a name.
type SavedWorld struct {
	Name string
	Made time.Time // by the clock of the engine
	Note []byte
}
