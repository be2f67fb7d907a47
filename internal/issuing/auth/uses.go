package auth

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/store"
)

// uses remember when each key was used last. A request only writes to memory, and only once a
// second for a key; the store is told now and then. The zero value is ready.
type uses struct {
	byName sync.Map // of *use, by the name of the key
}

// use is when a key was used last, in seconds since 1970.
type use struct {
	last atomic.Int64
	kept atomic.Int64 // what the store was told
}

// note notes that a key is used.
func (u *uses) note(name string, now time.Time) {
	value, known := u.byName.Load(name)
	if !known {
		value, _ = u.byName.LoadOrStore(name, new(use))
	}
	if last, seconds := &value.(*use).last, now.Unix(); last.Load() != seconds {
		last.Store(seconds)
	}
}

// keepUses tells the store of the uses since the last time. What fails is told again.
func (c *Callers) keepUses(ctx context.Context, log *slog.Logger) {
	ctx = c.settings.Generation.In(ctx)
	fresh := make(map[string]int64)
	c.uses.byName.Range(func(name, value any) bool {
		if of := value.(*use); of.last.Load() != of.kept.Load() {
			fresh[name.(string)] = of.last.Load()
		}
		return true
	})
	if len(fresh) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	err := c.keys.Update(ctx, func(tx store.Tx) error {
		// Nodes write at the same moment, so all of them keep one order.
		for _, name := range slices.Sorted(maps.Keys(fresh)) {
			err := tx.Keys().PutUse(name, time.Unix(fresh[name], 0))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		log.Warn("uses of keys not kept", "error", err)
		return
	}
	for name, seconds := range fresh {
		value, _ := c.uses.byName.Load(name)
		value.(*use).kept.Store(seconds)
	}
}
