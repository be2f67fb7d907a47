package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestTurnsOfKeys holds that one at a time has the turn of a key, that other keys do not wait, and
// that nothing is left of turns that have ended.
func TestTurnsOfKeys(t *testing.T) {
	t.Parallel()
	var all turns
	var inside [4]atomic.Int64
	var running sync.WaitGroup
	for i := range 400 {
		running.Go(func() {
			key := i % len(inside)
			leave, err := all.enter(t.Context(), key)
			if err != nil {
				t.Error(err)
				return
			}
			if inside[key].Add(1) != 1 {
				t.Error("two have the turn of one key")
			}
			inside[key].Add(-1)
			leave()
		})
	}
	running.Wait()

	leave, err := all.enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := all.enter(ended, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	other, err := all.enter(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	other()
	leave()
	if len(all.open) > 0 {
		t.Errorf("%d turns are left", len(all.open))
	}
}
