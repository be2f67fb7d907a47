package web

import (
	"context"
	"sync"
	"time"
)

// deadline is a context that ends at a given time. Unlike a context of package context, it creates
// its timer on the first wait: a request that is answered from memory never waits, and a timer
// would be a large share of its cost (BenchmarkDeadline).
type deadline struct {
	context.Context // of the request, without a deadline
	at              time.Time

	mu     sync.Mutex
	timed  context.Context // the context with a timer; nil before the first wait
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

// Deadline returns the time at which the context ends.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done returns a channel that is closed when the context ends.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.withTimer().Done()
}

// Err compares with the clock while there is no timer. Once the context has ended, Err creates the
// timer, so that later calls return the same reason.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil && d.Context.Err() == nil && time.Now().Before(d.at) {
		return nil
	}
	return d.withTimer().Err()
}

// Value also looks in the context with the timer: it returns that context under the private key of
// package context, so the timer cancels derived contexts without a goroutine for each.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed != nil {
		return d.timed.Value(key)
	}
	return d.Context.Value(key)
}

// withTimer requires d.mu.
func (d *deadline) withTimer() context.Context {
	if d.timed == nil {
		d.timed, d.cancel = context.WithDeadline(d.Context, d.at)
	}
	return d.timed
}
