package auth

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/issuing/charts"
	"mintmark/internal/store"
)

// uses remember when each key was used last, and how its requests ended. A request only writes to
// memory; the store is told now and then. The zero value is ready.
type uses struct {
	byName sync.Map // of *use, by the name of the key
}

// use is when a key was used last, in seconds since 1970, and what the store was not told of its
// requests.
type use struct {
	last atomic.Int64
	kept atomic.Int64 // what the store was told

	mu     sync.Mutex
	counts []hourCount // the running hour is the last
}

// hourCount counts the requests of an hour by their ends.
type hourCount struct {
	hour time.Time
	ends [len(Outcomes)]int
}

// Outcome is how a request of a key has ended.
type Outcome int

// The ends of requests.
const (
	Succeeded Outcome = iota
	Refused           // by a rule: the caller can do something about it
	Failed            // by this service
)

// Outcomes are the labels under which the ends are counted.
var Outcomes = [...]string{store.Succeeded, store.Refused, store.Failed}

// of returns the use of a key.
func (u *uses) of(name string) *use {
	value, known := u.byName.Load(name)
	if !known {
		value, _ = u.byName.LoadOrStore(name, new(use))
	}
	return value.(*use)
}

// CountRequest counts a request of a key that has ended.
func (c *Callers) CountRequest(name string, end Outcome) {
	now := hourCount{hour: c.settings.Clock.Now().UTC().Truncate(time.Hour)}
	now.ends[end] = 1
	c.uses.of(name).add(now)
}

// add adds counts to those that the store was not told.
func (u *use) add(counts ...hourCount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range counts {
		at := slices.IndexFunc(u.counts, func(of hourCount) bool { return of.hour.Equal(c.hour) })
		if at < 0 {
			at, u.counts = len(u.counts), append(u.counts, hourCount{hour: c.hour})
		}
		for end, count := range c.ends {
			u.counts[at].ends[end] += count
		}
	}
}

// take returns the counts that the store was not told, and forgets them.
func (u *use) take() []hourCount {
	u.mu.Lock()
	defer u.mu.Unlock()
	counts := u.counts
	u.counts = nil
	return counts
}

// note notes that a key is used.
func (u *uses) note(name string, now time.Time) {
	if last, seconds := &u.of(name).last, now.Unix(); last.Load() != seconds {
		last.Store(seconds)
	}
}

// keepUses tells the store of the uses since the last time. What fails is told again.
func (c *Callers) keepUses(ctx context.Context, log *slog.Logger) {
	ctx = c.settings.Generation.In(ctx)
	fresh, counts := make(map[string]int64), make(map[string][]hourCount)
	c.uses.byName.Range(func(key, value any) bool {
		name, of := key.(string), value.(*use)
		if of.last.Load() != of.kept.Load() {
			fresh[name] = of.last.Load()
		}
		if taken := of.take(); len(taken) > 0 {
			counts[name] = taken
		}
		return true
	})
	if len(fresh)+len(counts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	err := c.keys.Update(ctx, func(tx store.Tx) error {
		// Nodes write at the same moment, so all of them keep one order.
		for _, name := range slices.Sorted(maps.Keys(fresh)) {
			err := tx.Keys().PutUse(name, time.Unix(fresh[name], 0))
			if err != nil {
				return err
			}
		}
		for _, count := range charts.WithAll(c.hourlyCounts(counts)) {
			if err := tx.Hourly().Add(count); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		log.Warn("uses of keys not stored", "error", err)
		if errors.Is(err, store.ErrUnknownOutcome) {
			return // they may be stored: for charts, too few are better than twice as many
		}
		for name, taken := range counts {
			c.uses.of(name).add(taken...)
		}
		return
	}
	for name, seconds := range fresh {
		c.uses.of(name).kept.Store(seconds)
	}
}

// hourlyCounts are counts of each key as charts have them. Those of a key that is gone belong to none.
func (c *Callers) hourlyCounts(counts map[string][]hourCount) []store.HourlyCount {
	var all []store.HourlyCount
	for name, hours := range counts {
		key := c.keyring.Load().find(name)
		for _, of := range hours {
			for end, count := range of.ends {
				if key.Name == name && count > 0 {
					all = append(all, store.HourlyCount{
						Chart: store.Requests, ProgramID: key.ProgramID, Item: name,
						Label: Outcomes[end], Hour: of.hour, Count: count,
					})
				}
			}
		}
	}
	return all
}
