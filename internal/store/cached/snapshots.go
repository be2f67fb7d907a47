package cached

import (
	"context"

	"mintmark/internal/store"
)

var _ store.HasSnapshots = (*Store)(nil)

// Snapshots returns the snapshots of the wrapped store, which must have them. The cache stays empty
// during a restore or a reset.
func (s *Store) Snapshots() store.Snapshots {
	return snapshots{s.Store.(store.HasSnapshots).Snapshots(), s.memory}
}

type snapshots struct {
	store.Snapshots
	memory *memory
}

func (s snapshots) Restore(ctx context.Context, name string) ([]byte, error) {
	defer s.memory.suspend()()
	return s.Snapshots.Restore(ctx, name)
}

func (s snapshots) Reset(ctx context.Context, fill func(store.Tx) error) error {
	defer s.memory.suspend()()
	return s.Snapshots.Reset(ctx, fill)
}
