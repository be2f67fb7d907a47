package cached

import (
	"context"

	"mintmark/internal/store"
)

var _ store.HasWorlds = (*Store)(nil)

// Worlds returns those of the store inside, which must have some. The memory is empty while another
// world is put back.
func (s *Store) Worlds() store.Worlds {
	return worlds{s.Store.(store.HasWorlds).Worlds(), s.memory}
}

type worlds struct {
	store.Worlds
	memory *memory
}

func (w worlds) Restore(ctx context.Context, name string) ([]byte, error) {
	defer w.memory.rest()()
	return w.Worlds.Restore(ctx, name)
}

func (w worlds) Reset(ctx context.Context, fill func(store.Tx) error) error {
	defer w.memory.rest()()
	return w.Worlds.Reset(ctx, fill)
}
