package charts

import (
	"context"
	"slices"
	"time"

	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Query selects the data of a chart.
type Query struct {
	Chart
	Hours     int    // the last of them is the current hour
	ProgramID int    // 0 for all in scope
	Item      string // such as a webhook; empty for all
}

// Data is a chart with its counts.
type Data struct {
	From   time.Time // the beginning of the first hour
	Counts [][]int   // by series and hour
}

// Read returns a chart of the programs that an operator may see.
func (s *Service) Read(
	ctx context.Context, who issuing.Operator, q Query,
) (Data, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (Data, error) {
		programs, err := s.VisiblePrograms(r, who, q.ProgramID)
		if err != nil {
			return Data{}, err
		}
		return Draw(r, q, programs)
	})
}

// Draw returns a chart of the given programs, nil for all.
func Draw(r store.Tx, q Query, programs []int) (Data, error) {
	picture := newData(q, r.Now())
	sums, err := r.Hourly().List(store.HourlyQuery{
		Chart: q.Name, Programs: programs, Item: q.Item, From: picture.From,
	})
	if err != nil {
		return Data{}, err
	}
	for _, sum := range sums {
		picture.put(q, sum)
	}
	newer, err := newer(r, q, programs)
	if err != nil {
		return Data{}, err
	}
	for _, c := range newer {
		picture.put(q, store.HourlySum{
			Hour: c.Hour, Label: c.Label, Sum: c.Count, Greatest: c.Count,
		})
	}
	return picture, nil
}

// newer returns the counts that the job has not added yet.
func newer(r store.Tx, q Query, programs []int) ([]store.HourlyCount, error) {
	mark, err := r.Hourly().FindMark(q.source.name)
	if err != nil {
		return nil, err
	}
	counts, _, err := q.source.count(r, mark, false)
	if err != nil {
		return nil, err
	}
	counts = slices.DeleteFunc(counts, func(c store.HourlyCount) bool {
		return c.Chart != q.Name || q.Item != "" && c.Item != q.Item ||
			programs != nil && !slices.Contains(programs, c.ProgramID)
	})
	for i := range counts {
		counts[i].ProgramID, counts[i].Item = 0, ""
	}
	return sum(counts), nil
}

func newData(q Query, now time.Time) Data {
	p := Data{From: now.Truncate(time.Hour).Add(time.Duration(1-q.Hours) * time.Hour)}
	for range q.Series {
		p.Counts = append(p.Counts, make([]int, q.Hours))
	}
	return p
}

// put adds the counts of an hour. It leaves out hours after the current one, which exist if a clock
// was set back.
func (p Data) put(q Query, sum store.HourlySum) {
	series := slices.Index(q.Series, sum.Label)
	hour := int(sum.Hour.Sub(p.From) / time.Hour)
	if series < 0 || hour < 0 || hour >= q.Hours {
		return
	}
	count := &p.Counts[series][hour]
	switch {
	case q.MaxOfPrograms:
		*count = max(*count, sum.Greatest)
	case q.Gauge:
		*count = max(*count, sum.Sum)
	default:
		*count += sum.Sum
	}
}
