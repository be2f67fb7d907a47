package main

import "testing"

// TestGarbage checks how much garbage is allowed beside a live heap, in percent of that heap.
func TestGarbage(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 400, 24 << 20: 400, 48 << 20: 200, 1 << 30: 100} {
		if got := garbageOf(live); got != want {
			t.Errorf("%d%% beside %d MiB, want %d%%", got, live>>20, want)
		}
	}
}
