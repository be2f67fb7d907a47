package auth

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/apikey"
)

// newLimits returns a Callers that only counts requests, and its stopped clock.
func newLimits() (*Callers, *clock.Clock) {
	c := &Callers{settings: Settings{Clock: clock.FrozenAt(start)}}
	return c, c.settings.Clock
}

// TestTakeToken checks the rate limit values that a caller reads while it spends its burst and
// waits.
func TestTakeToken(t *testing.T) {
	t.Parallel()
	c, moved := newLimits()
	key := apikey.Key{Name: "a", PerSecond: 2, Burst: 3}
	const half = time.Second / 2
	want := func(remaining int, reset, wait time.Duration) {
		t.Helper()
		wanted := Quota{Limited: true, Burst: 3, Remaining: remaining, Reset: reset, Wait: wait}
		if diff := cmp.Diff(wanted, c.TakeToken(key)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	want(2, half, 0)
	want(1, half, 0)
	want(0, half, 0)
	want(0, half, half) // refused, and not counted
	want(0, half, half)
	moved.Advance(half / 2)
	want(0, half/2, half/2)
	moved.Advance(half / 2)
	want(0, half, 0)
	moved.Advance(time.Hour) // the burst is the maximum
	want(2, half, 0)
	moved.Advance(-2 * time.Hour) // as after the reset of a sandbox
	want(2, half, 0)
	want(1, half, 0)
	want(0, half, 0)
	want(0, half, half)
	moved.Advance(half)
	want(0, half, 0)
	want(0, half, half)
	moved.Advance(-time.Hour) // a spent burst does not wait for that hour to pass again
	want(2, half, 0)
}

func TestTakeTokenOfKeys(t *testing.T) {
	t.Parallel()
	c, _ := newLimits()
	for range 1000 {
		if quota := c.TakeToken(apikey.Key{Name: "free", Burst: 1}); quota != (Quota{}) {
			t.Fatalf("a key without a limit is limited: %+v", quota)
		}
	}
	key := apikey.Key{Name: "one", PerSecond: 1}
	if quota := c.TakeToken(key); quota.Wait != 0 || quota.Burst != 1 {
		t.Errorf("without a burst not even one request is allowed: %+v", quota)
	}
	if quota := c.TakeToken(key); quota.Wait != time.Second {
		t.Errorf("the second request: %+v", quota)
	}
	if quota := c.TakeToken(apikey.Key{Name: "two", PerSecond: 1}); quota.Wait != 0 {
		t.Errorf("another key waits for the first: %+v", quota)
	}
	// A new rate takes effect immediately.
	key.PerSecond = 15
	if quota := c.TakeToken(key); quota.Wait != 0 {
		t.Errorf("under its new rate: %+v", quota)
	}
	if quota := c.TakeToken(key); quota.Wait.Round(time.Millisecond) != 67*time.Millisecond {
		t.Errorf("the second request under its new rate: %+v", quota)
	}
	key.Burst = 4
	if quota := c.TakeToken(key); quota.Remaining != 3 {
		t.Errorf("with its new burst: %+v", quota)
	}
}

// TestTakeTokenAtOnce checks that simultaneous requests get the burst and no more.
func TestTakeTokenAtOnce(t *testing.T) {
	t.Parallel()
	c, _ := newLimits()
	key := apikey.Key{Name: "a", PerSecond: 1, Burst: 10}
	var allowed atomic.Int64
	var running sync.WaitGroup
	for range 64 {
		running.Go(func() {
			if c.TakeToken(key).Wait == 0 {
				allowed.Add(1)
			}
		})
	}
	running.Wait()
	if got := allowed.Load(); got != 10 {
		t.Errorf("%d requests were allowed, want the burst of 10", got)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		key  apikey.Key
		want time.Duration
	}{
		{apikey.Key{PerSecond: 2, Burst: 2}, time.Second},
		{apikey.Key{PerSecond: 0.5, Burst: 3}, 6 * time.Second},
		{apikey.Key{PerSecond: 4}, 250 * time.Millisecond},
	} {
		if got := Window(row.key); got != row.want {
			t.Errorf("%+v: the window is %s, want %s", row.key, got, row.want)
		}
	}
}

// TestTakeTokenOnSeveralNodes checks that a node grants its share of a rate, and at least one
// request.
func TestTakeTokenOnSeveralNodes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		nodes, burst int
		perSecond    float64
		want         Quota
	}{
		{3, 7, 6, Quota{true, 3, 2, time.Second / 2, 0}},
		{4, 1, 2, Quota{true, 1, 0, 2 * time.Second, 0}},
		{1, 2, 2, Quota{true, 2, 1, time.Second / 2, 0}},
		{3, 2, 0, Quota{}},
	} {
		c, _ := newLimits()
		c.SetNodes(row.nodes)
		key := apikey.Key{Name: "a", PerSecond: row.perSecond, Burst: row.burst}
		if diff := cmp.Diff(row.want, c.TakeToken(key)); diff != "" {
			t.Errorf("%d nodes (-want +got):\n%s", row.nodes, diff)
		}
	}
}
