package gate

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/apikey"
)

func newLimits() *Gate { return &Gate{limiters: make(map[string]*limiter)} }

// TestSpend holds the numbers that a caller reads while it spends its burst and waits.
func TestSpend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newLimits()
		key := apikey.Key{Name: "a", PerSecond: 2, Burst: 3}
		const half = time.Second / 2
		want := func(remaining int, reset, wait time.Duration) {
			t.Helper()
			wanted := Quota{
				Limited: true, PerSecond: 2, Burst: 3,
				Remaining: remaining, Reset: reset, Wait: wait,
			}
			if diff := cmp.Diff(wanted, g.Spend(key)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		want(2, half, 0)
		want(1, half, 0)
		want(0, half, 0)
		want(0, half, half) // refused, and not counted
		want(0, half, half)
		time.Sleep(half / 2)
		want(0, half/2, half/2)
		time.Sleep(half / 2)
		want(0, half, 0)
		time.Sleep(time.Hour) // no more than the burst gathers
		want(2, half, 0)
	})
}

func TestSpendOfKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newLimits()
		for range 1000 {
			if quota := g.Spend(apikey.Key{Name: "free", Burst: 1}); quota != (Quota{}) {
				t.Fatalf("a key without a limit is limited: %+v", quota)
			}
		}
		one := apikey.Key{Name: "one", PerSecond: 1}
		if quota := g.Spend(one); quota.Wait != 0 || quota.Burst != 1 {
			t.Errorf("without a burst not even one request is allowed: %+v", quota)
		}
		if quota := g.Spend(one); quota.Wait != time.Second {
			t.Errorf("the second request: %+v", quota)
		}
		if quota := g.Spend(apikey.Key{Name: "two", PerSecond: 1}); quota.Wait != 0 {
			t.Errorf("another key waits for the first: %+v", quota)
		}
		// A new rate counts at once.
		one.PerSecond = 15
		if quota := g.Spend(one); quota.Wait != 0 || quota.PerSecond != 15 {
			t.Errorf("under its new rate: %+v", quota)
		}
		one.Burst = 4
		if quota := g.Spend(one); quota.Remaining != 3 {
			t.Errorf("with its new burst: %+v", quota)
		}
	})
}

// TestSpendAtOnce holds that many who ask at once get the burst and no more.
func TestSpendAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newLimits()
		key := apikey.Key{Name: "a", PerSecond: 1, Burst: 10}
		var allowed atomic.Int64
		var running sync.WaitGroup
		for range 64 {
			running.Go(func() {
				if g.Spend(key).Wait == 0 {
					allowed.Add(1)
				}
			})
		}
		running.Wait()
		if got := allowed.Load(); got != 10 {
			t.Errorf("%d requests were allowed, want the burst of 10", got)
		}
	})
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

// TestSpendOnSeveralNodes holds that a node grants its share of a rate, and one request at least.
func TestSpendOnSeveralNodes(t *testing.T) {
	for _, c := range []struct {
		nodes, burst int
		perSecond    float64
		want         Quota
	}{
		{3, 7, 6, Quota{true, 2, 3, 2, time.Second / 2, 0}},
		{4, 1, 2, Quota{true, 0.5, 1, 0, 2 * time.Second, 0}},
		{1, 2, 2, Quota{true, 2, 2, 1, time.Second / 2, 0}},
		{3, 2, 0, Quota{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := newLimits()
			g.SetNodes(c.nodes)
			key := apikey.Key{Name: "a", PerSecond: c.perSecond, Burst: c.burst}
			if diff := cmp.Diff(c.want, g.Spend(key)); diff != "" {
				t.Errorf("%d nodes (-want +got):\n%s", c.nodes, diff)
			}
		})
	}
}
