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

// uses records the last use of each key and the outcomes of its requests. A request only writes to
// memory; Callers stores the records from time to time. The zero value is ready to use.
type uses struct {
	byName sync.Map // *use by key name
}

// use holds the last use of a key, in seconds since 1970, and the requests that are not stored yet.
type use struct {
	last atomic.Int64
	kept atomic.Int64 // the stored value of last

	mu     sync.Mutex
	counts []hourCount // the current hour is the last
}

// hourCount counts the requests of an hour by their outcomes.
type hourCount struct {
	hour time.Time
	ends [len(Outcomes)]int
}

// Outcome is the outcome of a key's request.
type Outcome int

// Outcomes of requests.
const (
	Succeeded Outcome = iota
	Refused           // by a rule: the caller can act on it
	Failed            // by this service
)

// Outcomes holds the labels under which outcomes are counted.
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

// add adds counts to those that are not stored yet.
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

// take returns the counts that are not stored yet, and clears them.
func (u *use) take() []hourCount {
	u.mu.Lock()
	defer u.mu.Unlock()
	counts := u.counts
	u.counts = nil
	return counts
}

// note records a use of a key.
func (u *uses) note(name string, now time.Time) {
	if last, seconds := &u.of(name).last, now.Unix(); last.Load() != seconds {
		last.Store(seconds)
	}
}

// keepUses stores the uses since the last call. Uses that cannot be stored remain for the next
// call.
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
		// Nodes write at the same time, so all of them use the same order.
		for _, name := range slices.Sorted(maps.Keys(fresh)) {
			err := tx.Keys().PutUse(name, time.Unix(fresh[name], 0))
			if err != nil {
				return err
			}
		}
		for _, count := range charts.WithTotals(c.hourlyCounts(counts)) {
			if err := tx.Hourly().Add(count); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		log.Warn("storing key uses failed", "error", err)
		if errors.Is(err, store.ErrUnknownOutcome) {
			return // they may be stored: charts that lack some are better than double counts
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

// hourlyCounts returns the counts of each key for charts. It drops those of a key that no longer
// exists.
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
