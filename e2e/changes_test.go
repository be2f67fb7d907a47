package e2e

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a test waits for an event, on a machine that does other things as well.
const patience = 2 * time.Minute

// changes wakes the tests that wait for what changes.
type changes struct {
	lock    sync.Mutex
	changed chan struct{} // closed by the next change; nil while no test waits
}

// tell wakes the tests. It is called after each change.
func (c *changes) tell() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// next is closed by the next change.
func (c *changes) next() <-chan struct{} {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// await waits until a condition holds. It looks at first and after each change.
func (c *changes) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late := time.After(patience)
	for {
		next := c.next()
		if holds() {
			return
		}
		select {
		case <-next:
		case <-late:
			t.Fatalf("in %v it did not happen: %s", patience, what)
		}
	}
}

// counter counts what tests wait for.
type counter struct {
	changes
	count atomic.Int64
}

// add counts one more.
func (c *counter) add() {
	c.count.Add(1)
	c.tell()
}

// awaitMore waits until so many more are counted.
func (c *counter) awaitMore(t *testing.T, more int) {
	t.Helper()
	enough := c.count.Load() + int64(more)
	c.await(t, fmt.Sprint(more, " more are counted"),
		func() bool { return c.count.Load() >= enough })
}

// within asks until something holds that nothing tells of: what a program counts, keeps or finds
// out by itself.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	//nolint:forbidigo // The only poll of what has no event; the callers say what that is.
	for late := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("in %v it did not happen that %s", patience, what)
		}
	}
}
