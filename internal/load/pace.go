package load

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintmark/internal/store"
)

// How a long load lets others write. On the embedded database a program that waits looks every 25
// milliseconds at the latest whether the file is free, for the first eighth of a second: a pause of
// that length is always seen, and a wait ends with the chunk that it began in. Without other
// writers chunks are longer, and the first who comes then waits for one of them.
var (
	beside = rhythm{chunk: 12 * time.Millisecond, pause: 30 * time.Millisecond}
	alone  = rhythm{chunk: 35 * time.Millisecond, pause: 26 * time.Millisecond}
	// On a database server no program waits for the whole database.
	server = rhythm{chunk: 35 * time.Millisecond, pause: 2 * time.Millisecond}
)

// besideTime is for how long after a write of others a load expects them to write again.
const besideTime = 2 * time.Second

// rhythm is how long a chunk takes entries, and for how long the database is left alone after it.
type rhythm struct{ chunk, pause time.Duration }

// How long a turn to write is waited for, and what may pass between two looks for it: beside a
// server that writes without a pause the file is free for moments only.
const (
	patience = time.Minute
	lookTime = time.Millisecond
	// turnTime is how long a try must have taken to have been a wait for somebody else. What the
	// database refuses sooner has another reason.
	turnTime = time.Second
)

// shared is a store whose writers wait for the whole of it.
type shared interface {
	// ForeignCommits grows when others have written.
	ForeignCommits() int64
}

// pacer writes in turn with others.
type pacer struct {
	Store
	free    time.Time // when the next chunk may begin
	foreign int64     // the commits of others, as far as they were seen
	seen    time.Time // when they were
}

// rhythm is the one that suits the other writers.
func (p *pacer) rhythm() rhythm {
	kept, ok := p.Store.(shared)
	if !ok {
		return server
	}
	if count := kept.ForeignCommits(); count != p.foreign {
		p.foreign, p.seen = count, time.Now()
	}
	if time.Since(p.seen) < besideTime {
		return beside
	}
	return alone
}

// update runs a closure in a transaction when it is its turn.
func (p *pacer) update(ctx context.Context, fn func(store.Tx) error) error {
	if err := wait(ctx, time.Until(p.free)); err != nil {
		return err
	}
	return p.patiently(ctx, func() error {
		err := p.Update(ctx, fn)
		p.free = time.Now().Add(p.rhythm().pause)
		return err
	})
}

// view runs a closure over one stable picture.
func (p *pacer) view(ctx context.Context, fn func(store.Tx) error) error {
	return p.patiently(ctx, func() error { return p.View(ctx, fn) })
}

// patiently tries again what waited in vain for others.
func (p *pacer) patiently(ctx context.Context, try func() error) error {
	for began := time.Now(); ; {
		tried := time.Now()
		err := try()
		busy := errors.Is(err, store.ErrBusy)
		if busy {
			p.seen = time.Now()
		}
		waited := busy || errors.Is(err, store.ErrUnavailable) && time.Since(tried) >= turnTime
		if !waited || time.Since(began) > patience {
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
