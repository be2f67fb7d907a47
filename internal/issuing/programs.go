package issuing

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/generation"
)

// snapshotLife is the maximum age of the program settings that callers see (interface §4.5).
const snapshotLife = 5 * time.Minute

// Program is what was read of a program at one moment. It holds only what callers may see
// stale: BINs and encryption keys are read again whenever a card is made. Requests share it, so it
// is never changed.
type Program struct {
	BankID     int
	Zone       *time.Location
	Settings   program.Settings
	Version    uint64 // differs between the snapshots of a process: caches use it as a key
	taken      time.Time
	generation int64 // in which it was read
}

// snapshotCache holds the newest snapshot of each program. The zero value is ready, on the time of
// the machine.
type snapshotCache struct {
	clock      *clock.Clock
	generation *generation.Generation
	byID       sync.Map // of *Program, by the number of the program
	newest     atomic.Uint64
}

// Find returns the snapshot of a program. A snapshot is replaced when it is too old, when it
// belongs to another generation, or when it lies in the future because the clock was set back.
func (c *snapshotCache) Find(
	ctx context.Context, from store.Store, id int,
) (*Program, error) {
	now := c.clock.Now()
	cached, _ := c.byID.Load(id)
	snapshot, known := cached.(*Program)
	if known && c.fresh(snapshot, now) {
		return snapshot, nil
	}
	return c.take(ctx, from, id, now)
}

// fresh reports whether a snapshot may be used.
func (c *snapshotCache) fresh(snapshot *Program, now time.Time) bool {
	return snapshot.generation == c.generation.Number() && !snapshot.taken.After(now) &&
		now.Sub(snapshot.taken) < snapshotLife
}

// take reads a program and keeps the snapshot.
func (c *snapshotCache) take(
	ctx context.Context, from store.Store, id int, now time.Time,
) (*Program, error) {
	generation := c.generation.Number()
	snapshot, err := store.ReadOf(ctx, from, func(r store.Tx) (*Program, error) {
		p, err := r.Programs().Find(id)
		if err != nil {
			return nil, fmt.Errorf("program %d of the key: %w", id, err)
		}
		settings, err := p.Snapshot(r.Now())
		return &Program{
			BankID: p.BankID, Zone: p.Location(), Settings: settings, taken: now,
			generation: generation,
		}, err
	})
	if err != nil {
		return nil, err
	}
	snapshot.Version = c.newest.Add(1)
	c.byID.Store(id, snapshot)
	return snapshot, nil
}

// Drop forgets the snapshot of a program that was changed here. Other nodes keep theirs for its
// life.
func (c *snapshotCache) Drop(id int) { c.byID.Delete(id) }

// ProgramSettings returns the settings of the caller's program, at most five minutes old
// (interface §8.1).
func (s *Service) ProgramSettings(ctx context.Context, who Caller) (*Program, error) {
	snapshot, err := s.ProgramCache.Find(ctx, s.Store, who.ProgramID)
	return snapshot, FaultOf(err)
}
