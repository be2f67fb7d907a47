// Package intake holds what taking in data has in common, whatever the form of the file: its rows,
// taking turns with other writers, changes that have to be agreed to, problems by their lines,
// counts, and what the audit keeps. Package load reads an operator's YAML file with it, package
// feed the rows of a core banking system, and package reconcile lists to compare with.
package intake

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"mintmark/internal/store"
)

// Store is the part of a store that is written in chunks.
type Store interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// How a long intake leaves room for other writers. On the embedded database a waiting program tries
// again at least every 25 milliseconds during its first 125: it always meets a pause of that
// length, and so waits for one chunk at most. While no other program writes, chunks are longer,
// and the next writer waits for one of those.
var (
	beside = rhythm{chunk: 12 * time.Millisecond, pause: 30 * time.Millisecond}
	alone  = rhythm{chunk: 35 * time.Millisecond, pause: 26 * time.Millisecond}
	// On a database server a program waits for rows, never for the whole database.
	server = rhythm{chunk: 35 * time.Millisecond, pause: 2 * time.Millisecond}
)

// besideTime is how long after a write of another program an intake expects the next one.
const besideTime = 2 * time.Second

// rhythm is how long a chunk writes, and the pause after it.
type rhythm struct{ chunk, pause time.Duration }

// How long an intake waits for its turn to write, and the time between two tries: beside a server
// that writes without a pause the file is free for moments only.
const (
	patience = time.Minute
	lookTime = time.Millisecond
	// turnTime is how long a failed try must have taken to count as a wait for another writer. A
	// database that refuses sooner has another reason.
	turnTime = time.Second
)

// Pacer writes in turn with other programs.
type Pacer struct {
	Kept Store

	// ForeignCommits counts the commits of other programs to a database with one writer at a time;
	// nil for a database server. Where others write, the intake takes turns with them.
	ForeignCommits func() int64
	// InServer says that the requests of the same process write to a database with one writer.
	InServer bool

	free    time.Time // when the next chunk may begin
	foreign int64     // the commits of other programs that were seen
	seen    time.Time // when the last of them was seen
}

// ChunkTime is how long the next chunk may write.
func (p *Pacer) ChunkTime() time.Duration { return p.rhythm().chunk }

// rhythm returns the rhythm for the writers that there are.
func (p *Pacer) rhythm() rhythm {
	if p.InServer {
		return beside
	}
	if p.ForeignCommits == nil {
		return server
	}
	if count := p.ForeignCommits(); count != p.foreign {
		p.foreign, p.seen = count, time.Now()
	}
	if time.Since(p.seen) < besideTime {
		return beside
	}
	return alone
}

// Update runs a closure in a transaction after the pause.
func (p *Pacer) Update(ctx context.Context, fn func(store.Tx) error) error {
	if err := wait(ctx, time.Until(p.free)); err != nil {
		return err
	}
	return p.patiently(ctx, func() error {
		err := p.Kept.Update(ctx, fn)
		p.free = time.Now().Add(p.rhythm().pause)
		return err
	})
}

// View runs a closure over one snapshot.
func (p *Pacer) View(ctx context.Context, fn func(store.Tx) error) error {
	return p.patiently(ctx, func() error { return p.Kept.View(ctx, fn) })
}

// patiently retries a transaction that could not begin because another program was writing.
func (p *Pacer) patiently(ctx context.Context, try func() error) error {
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
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
