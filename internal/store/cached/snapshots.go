package cached

import (
	"context"

	"mintmark/internal/store"
)

var _ store.HasSnapshots = (*Store)(nil)

// Snapshots returns those of the store inside, which must have some. The memory is empty while
// another world is put back.
func (s *Store) Snapshots() store.Snapshots {
	return snapshots{s.Store.(store.HasSnapshots).Snapshots(), s.memory}
}

type snapshots struct {
	store.Snapshots
	memory *memory
}

func (s snapshots) Restore(ctx context.Context, name string) ([]byte, error) {
	defer s.memory.rest()()
	return s.Snapshots.Restore(ctx, name)
}

func (s snapshots) Reset(ctx context.Context, fill func(store.Tx) error) error {
	defer s.memory.rest()()
	return s.Snapshots.Reset(ctx, fill)
}
