package e2e

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/testrun"
)

// counter counts what tests wait for.
type counter struct {
	testrun.Events
	count atomic.Int64
}

// add counts one more.
func (c *counter) add() {
	c.count.Add(1)
	c.Happened()
}

// awaitMore waits until so many more are counted.
func (c *counter) awaitMore(t *testing.T, more int) {
	t.Helper()
	enough := c.count.Load() + int64(more)
	c.Until(t, fmt.Sprint(more, " more are counted"),
		func() bool { return c.count.Load() >= enough })
}

// within asks until something holds that nothing tells of: what a program counts, keeps or finds
// out by itself. A function may say what there is where it never holds.
func within(t *testing.T, what string, holds func() bool, found ...func() any) {
	t.Helper()
	//nolint:forbidigo // The one poll of what has no event; the callers say what that is.
	for late := time.Now().Add(testrun.Patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			for _, one := range found {
				t.Logf("there is %v", one())
			}
			t.Fatalf("in %v it did not happen that %s", testrun.Patience, what)
		}
	}
}
