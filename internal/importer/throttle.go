package importer

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintmark/internal/store"
)

// Store is the part of the store that an import writes to in chunks.
type Store interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// The pace of a long run, which leaves room for other writers. On the embedded database, a waiting
// program retries at least every 25 milliseconds during its first 125: it always meets a pause of
// that length, and so waits for one chunk at most. While no other program writes, chunks are
// longer, and the next writer waits for one of those.
var (
	beside = pace{chunk: 18 * time.Millisecond, pause: 30 * time.Millisecond}
	alone  = pace{chunk: 35 * time.Millisecond, pause: 26 * time.Millisecond}
	// On a database server, a program waits for rows, never for the whole database.
	server = pace{chunk: 35 * time.Millisecond, pause: 2 * time.Millisecond}
)

// besideTime is the time after a commit of another program during which a run expects the next one.
const besideTime = 2 * time.Second

// pace is the duration of a chunk and of the pause after it.
type pace struct{ chunk, pause time.Duration }

// The time that a run waits for its turn to write, and the maximum time between two attempts:
// beside a server that writes without pauses, the file is free only for moments.
const (
	patience = time.Minute
	lookTime = time.Millisecond
	// turnTime is the minimum duration of a failed attempt that counts as a wait for another
	// writer. A database that fails sooner has another reason.
	turnTime = time.Second
)

// Throttle writes in chunks, with pauses that let other programs write.
type Throttle struct {
	Store Store

	// ExternalCommits returns the number of commits by other programs to a database with a single
	// writer; nil for a database server. Where others write, the run takes turns with them.
	ExternalCommits func() int64
	// Clock limits the duration of a chunk. It is not the source of any stored time.
	Clock func() time.Time
	// InServer reports that requests in the same process write to a database with a single writer.
	InServer bool

	free     time.Time // earliest begin of the next chunk
	external int64     // last seen number of external commits
	seen     time.Time // when another writer was last seen
}

// Begin begins a chunk. The returned function reports whether the time of the chunk is up.
func (t *Throttle) Begin() (over func() bool) {
	end := t.Clock().Add(t.pace().chunk)
	return func() bool { return t.Clock().After(end) }
}

// pace returns the pace for the current writers.
func (t *Throttle) pace() pace {
	if t.InServer {
		return beside
	}
	if t.ExternalCommits == nil {
		return server
	}
	if count := t.ExternalCommits(); count != t.external {
		t.external, t.seen = count, time.Now()
	}
	if time.Since(t.seen) < besideTime {
		return beside
	}
	return alone
}

// Update runs a closure in a transaction after the pause.
func (t *Throttle) Update(ctx context.Context, fn func(store.Tx) error) error {
	if err := wait(ctx, time.Until(t.free)); err != nil {
		return err
	}
	return t.retryBusy(ctx, func() error {
		err := t.Store.Update(ctx, fn)
		t.free = time.Now().Add(t.pace().pause)
		return err
	})
}

// View runs a closure on a snapshot.
func (t *Throttle) View(ctx context.Context, fn func(store.Tx) error) error {
	return t.retryBusy(ctx, func() error { return t.Store.View(ctx, fn) })
}

// retryBusy retries a transaction that could not begin because another program was writing.
func (t *Throttle) retryBusy(ctx context.Context, try func() error) error {
	for began := time.Now(); ; {
		tried := time.Now()
		err := try()
		busy := errors.Is(err, store.ErrBusy)
		if busy {
			t.seen = time.Now()
		}
		waited := busy || errors.Is(err, store.ErrUnavailable) && time.Since(tried) >= turnTime
		if !waited || time.Since(began) > patience {
			return err
		}
		if err := wait(ctx, rand.N(lookTime)); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
