package auth

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/domain/apikey"
)

// TestStateOfRates spends rates at random, saves the state, continues, restores it and repeats the
// same requests: callers read the same values.
func TestStateOfRates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, moved := newLimits()
		keys := []apikey.Key{
			{Name: "whole", PerSecond: 1.9, Burst: 3}, {Name: "slow", PerSecond: 0.3, Burst: 7},
			{Name: "single", PerSecond: 14.7},
		}
		run := func(waits []int) (quotas []Quota) {
			for i, wait := range waits {
				// No token arrives at the exact time of a request: the library counts in whole
				// nanoseconds, and the order of the two would be chance.
				moved.Advance(time.Duration(wait) * 10_137 * time.Microsecond)
				quotas = append(quotas, c.TakeToken(keys[(i+wait)%len(keys)]))
			}
			return quotas
		}
		waits := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 20)
		run(waits.Draw(t, "before"))
		state, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		setting := moved.Setting()
		after := waits.Draw(t, "after")
		want := run(after)
		if err := c.Restore(state); err != nil {
			t.Fatal(err)
		}
		moved.Set(setting)
		// The library counts time in nanoseconds.
		near := cmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() <= 2 })
		if diff := cmp.Diff(want, run(after), near); diff != "" {
			t.Fatalf("quotas (-first +again):\n%s", diff)
		}
	})
}

// TestStateOfUses saves and restores the times of use of keys.
func TestStateOfUses(t *testing.T) {
	t.Parallel()
	c, moved := newLimits()
	c.uses.note("a", moved.Now())
	state, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	c.uses.note("a", moved.Now().Add(time.Hour))
	c.uses.note("b", moved.Now())
	if err := c.Restore(state); err != nil {
		t.Fatal(err)
	}
	if again, err := c.State(); err != nil || string(again) != string(state) {
		t.Errorf("%s, %v, want %s", again, err, state)
	}
	if err := c.Restore(nil); err != nil {
		t.Fatal(err)
	}
	if again, err := c.State(); err != nil || string(again) != "{}" {
		t.Errorf("%s, %v", again, err)
	}
}
