package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintmark/internal/store"
)

// How a long load lets others write. On the embedded database whoever waits looks every 25
// milliseconds at the latest whether the file is free, for the first eighth of a second: a pause of
// that length is always seen, and a wait ends with the chunk that it began in.
const (
	// chunkTime is after how long a chunk takes no more entries.
	chunkTime = 12 * time.Millisecond
	// pauseTime is how long the file is left alone between two chunks, at least.
	pauseTime = 30 * time.Millisecond
)

// How long a turn to write is waited for, and what may pass between two looks for it: beside a
// server that writes without a pause the file is free for moments only.
const (
	patience = time.Minute
	lookTime = time.Millisecond
	// turnTime is how long a try must have taken to have been a wait for somebody else. What the
	// database refuses sooner has another reason.
	turnTime = time.Second
)

// pacer writes in turn with others.
type pacer struct {
	Store
	free time.Time // when the next chunk may begin
}

// update runs a closure in a transaction when it is its turn.
func (p *pacer) update(ctx context.Context, fn func(store.Tx) error) error {
	if err := wait(ctx, time.Until(p.free)); err != nil {
		return err
	}
	for began := time.Now(); ; {
		tried := time.Now()
		err := p.Update(ctx, fn)
		took := time.Since(tried)
		// Who was kept waiting by a slow disk gets as long a pause.
		p.free = time.Now().Add(max(pauseTime, min(took, patience/60)))
		busy := errors.Is(err, store.ErrBusy) ||
			errors.Is(err, store.ErrUnavailable) && took >= turnTime
		if !busy || time.Since(began) > patience {
			return err
		}
		if err := wait(ctx, rand.N(lookTime)); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
