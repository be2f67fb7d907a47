package web

import (
	"context"
	"sync"
	"time"
)

// deadline is a context that ends at a time. Unlike one of package context it makes its timer when
// its end is first waited for: a request that is answered from memory never waits, and a timer
// would be a good part of what it costs (BenchmarkDeadline).
type deadline struct {
	context.Context // of the request; it has no deadline of its own
	at              time.Time

	mu     sync.Mutex
	timed  context.Context // the same with a timer; nil before the first wait
	cancel context.CancelFunc
}

// end stops the timer.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	}
}

// Deadline tells when it ends.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done is closed when it ends.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.withTimer().Done()
}

// Err looks at the clock as long as there is no timer. Once the context has ended it makes the
// timer, so that the reason stays the one that was given first.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil && d.Context.Err() == nil && time.Now().Before(d.at) {
		return nil
	}
	return d.withTimer().Err()
}

// Value finds the timer as well, by the key under which package context looks for its own: contexts
// made from this one are then ended by the timer, without a goroutine for each.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed != nil {
		return d.timed.Value(key)
	}
	return d.Context.Value(key)
}

// withTimer may be called by the holder of the lock only.
func (d *deadline) withTimer() context.Context {
	if d.timed == nil {
		d.timed, d.cancel = context.WithDeadline(d.Context, d.at)
	}
	return d.timed
}
