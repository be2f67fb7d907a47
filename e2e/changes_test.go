package e2e

import (
	"fmt"
	"sync/atomic"
	"testing"

	"mintmark/internal/testkit/testrun"
)

// counter counts events that tests wait for.
type counter struct {
	testrun.Events
	count atomic.Int64
}

// add increments the counter.
func (c *counter) add() {
	c.count.Add(1)
	c.Happened()
}

// awaitMore waits until the counter has increased by the given number.
func (c *counter) awaitMore(t *testing.T, more int) {
	t.Helper()
	enough := c.count.Load() + int64(more)
	c.Until(t, fmt.Sprint(more, " more are counted"),
		func() bool { return c.count.Load() >= enough })
}
