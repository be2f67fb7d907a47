package installation

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintmark/internal/store"
)

// RetryingStore is a store for a command beside a server: its Updates wait until no other process
// writes. With sqlite.Options.DoNotWait it retries more often than SQLite would, and so meets one
// of the short gaps between the commits of a busy server. On PostgreSQL it retries when a statement
// has waited too long for a lock.
type RetryingStore struct{ store.Store }

// The time that an Update waits for its turn, and the maximum time between two attempts.
const (
	writePatience = time.Minute
	writePause    = 10 * time.Millisecond
)

// Update runs a closure once no other process writes. An attempt that was too early leaves no
// changes.
func (p RetryingStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	for began := time.Now(); ; {
		err := p.Store.Update(ctx, fn)
		if !errors.Is(err, store.ErrBusy) || time.Since(began) > writePatience {
			return err
		}
		select {
		case <-time.After(rand.N(writePause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
