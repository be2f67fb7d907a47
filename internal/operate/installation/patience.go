package installation

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintmark/internal/store"
)

// Patient is a store whose Updates wait until another process does not write: that of a command
// beside a server. With sqlite.Options.DoNotWait it asks more often than SQLite would, and so meets
// one of the short gaps between the commits of a busy server. On PostgreSQL it asks again when a
// statement has waited too long for a lock.
type Patient struct{ store.Store }

// How long an Update waits for its turn, and the longest time between two tries.
const (
	writePatience = time.Minute
	writePause    = 10 * time.Millisecond
)

// Update runs a closure once another process does not write. Of a try that was too early nothing is
// kept.
func (p Patient) Update(ctx context.Context, fn func(store.Tx) error) error {
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
