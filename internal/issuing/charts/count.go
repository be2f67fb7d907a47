package charts

import (
	"context"
	"slices"
	"time"

	"mintmark/internal/store"
)

// CountJob is the name of the job that counts.
const CountJob = "count for charts"

// kept is how long counts are stored: the longest period, and the current hour.
const kept = 31 * 24 * time.Hour

// Count counts what is new in each source exactly once: the mark is stored with the counts. A row
// that is stored later than its source allows for is not counted.
func (s *Service) Count(ctx context.Context) error {
	for _, from := range sources {
		for more := true; more; {
			var err error
			if more, err = s.countOnce(ctx, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// countOnce counts a part of a source, deletes old counts, and reports whether the source may have
// more. A run without new counts writes nothing. It reads in a separate transaction: one that also
// writes would collide with all acts.
func (s *Service) countOnce(ctx context.Context, from *source) (more bool, err error) {
	var mark, reached int
	var counts []store.HourlyCount
	err = s.Store.View(ctx, func(r store.Tx) error {
		var err error
		mark, err = r.Hourly().FindMark(from.name)
		if err != nil {
			return err
		}
		counts, reached, err = from.count(r, mark, true)
		return err
	})
	counts = WithTotals(counts)
	if err != nil || len(counts) == 0 && reached == mark {
		return false, err
	}
	err = s.Store.Update(ctx, func(tx store.Tx) error {
		put := tx.Hourly().Add
		if from.name == "" {
			put = tx.Hourly().Raise
		} else {
			now, err := tx.Hourly().FindMark(from.name)
			if err != nil || now != mark {
				return err // another node has counted them
			}
			if err := tx.Hourly().PutMark(from.name, reached); err != nil {
				return err
			}
		}
		for _, c := range counts {
			if err := put(c); err != nil {
				return err
			}
		}
		return tx.Hourly().DeleteBefore(tx.Now().Add(-kept))
	})
	return err == nil && from.name == sealedEvents.name, err
}

// WithTotals returns the counts together with their totals over all programs, which name no items,
// in the order in which every node writes them.
func WithTotals(counts []store.HourlyCount) []store.HourlyCount {
	all := slices.Clone(counts)
	for i := range all {
		all[i].ProgramID, all[i].Item = store.AllPrograms, ""
	}
	return sum(append(all, counts...))
}

// sum adds up the counts that have everything else in common.
func sum(counts []store.HourlyCount) []store.HourlyCount {
	slices.SortFunc(counts, store.CompareHourly)
	var all []store.HourlyCount
	for _, c := range counts {
		if last := len(all) - 1; last >= 0 && store.CompareHourly(all[last], c) == 0 {
			if chart, _ := Find(c.Chart); chart.MaxOfPrograms {
				all[last].Count = max(all[last].Count, c.Count)
			} else {
				all[last].Count += c.Count
			}
			continue
		}
		all = append(all, c)
	}
	return all
}
