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

// Program is a snapshot of a program. It holds only what callers may see stale: BINs and encryption
// keys are read again whenever a card is created. Requests share it, so it is never changed.
type Program struct {
	BankID     int
	Zone       *time.Location
	Settings   program.Settings
	Version    uint64 // unique among the snapshots of a process: caches use it as a key
	taken      time.Time
	generation int64 // the generation in which it was read
}

// snapshotCache holds the newest snapshot of each program. The zero value is ready to use, on the
// time of the machine.
type snapshotCache struct {
	clock      *clock.Clock
	generation *generation.Generation
	byID       sync.Map // *Program by program ID
	newest     atomic.Uint64
}

// Find returns the snapshot of a program. A snapshot is replaced if it is too old, belongs to
// another generation, or lies in the future because the clock was set back.
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

// take reads a program and caches its snapshot.
func (c *snapshotCache) take(
	ctx context.Context, from store.Store, id int, now time.Time,
) (*Program, error) {
	generation := c.generation.Number()
	snapshot, err := store.ReadOf(ctx, from, func(r store.Tx) (*Program, error) {
		p, err := r.Programs().Find(id)
		if err != nil {
			return nil, fmt.Errorf("program %d of the API key: %w", id, err)
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

// Drop evicts the snapshot of a program that was changed on this node. Other nodes use theirs until
// it is too old.
func (c *snapshotCache) Drop(id int) { c.byID.Delete(id) }

// ProgramSettings returns the settings of the caller's program, at most five minutes old
// (interface §8.1).
func (s *Service) ProgramSettings(ctx context.Context, who Caller) (*Program, error) {
	snapshot, err := s.ProgramCache.Find(ctx, s.Store, who.ProgramID)
	return snapshot, FaultOf(err)
}
