package console

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	wire "mintmark/client/admin"
)

// plot is a chart of counts over time as stacked bars. The server draws it, and adds the same
// numbers as a table.
type plot struct {
	ID, Title string
	Empty     string // text shown instead of bars that are all empty
	Keys      []plotKey
	Named     bool // show the legend: several series, or one that the title does not name
	Bars      []plotBar
	Width     int
	Most      string // value of the highest bar, which spans the full height
	Says      string // text for screen readers
	Total     string
}

// plotKey is a series in the legend and in the table.
type plotKey struct {
	mark
	Total string
}

// plotBar is the bar of a part of the period.
type plotBar struct {
	Name   string
	Short  string // label below the bars
	Last   bool   // its time is not over yet
	Says   string
	Counts []string // one per series, for the table
	Parts  []plotPart
}

// plotPart is one series within a bar.
type plotPart struct{ Tone, X, Y, W, H string }

// plotSpec describes how to draw series.
type plotSpec struct {
	id, title, empty string
	series           []plotSeries
	write            func(int) string // formats a value with its unit
	level            bool             // a bar shows the maximum of its hours instead of the sum
	named            bool             // the legend is shown for a single series too
}

// plotSeries is a series with its counts per hour.
type plotSeries struct {
	mark
	counts []int
}

// Dimensions of a plot, in its own units: it is stretched to the width of the page.
const (
	plotHeight = 56
	barStep    = 10
	barBody    = 8
)

// newPlot draws series that begin at from and end with the current hour. For more than a day, a bar
// covers a part of a day, or a day, in the zone. A bar cut off by the beginning is left out.
func newPlot(spec plotSpec, from time.Time, zone *time.Location) plot {
	drawn := plot{
		ID: spec.id, Title: spec.title, Empty: spec.empty,
		Named: spec.named || len(spec.series) > 1,
	}
	hours := 0
	for _, s := range spec.series {
		hours = max(hours, len(s.counts))
	}
	step := stepOf(hours)
	var begins []time.Time
	var sums [][]int // by bar and series
	for hour := range hours {
		at := from.Add(time.Duration(hour) * time.Hour).In(zone)
		begin := time.Date(at.Year(), at.Month(), at.Day(), at.Hour()/step*step, 0, 0, 0, zone)
		if step == 1 {
			begin = at
		}
		if begin.Before(from) {
			continue
		}
		if len(begins) == 0 || !begins[len(begins)-1].Equal(begin) {
			begins, sums = append(begins, begin), append(sums, make([]int, len(spec.series)))
		}
		bar := sums[len(sums)-1]
		for i, s := range spec.series {
			if spec.level {
				bar[i] = max(bar[i], s.counts[hour])
			} else {
				bar[i] += s.counts[hour]
			}
		}
	}
	drawn.draw(spec, begins, sums, step)
	return drawn
}

// stepOf returns the number of hours in a bar.
func stepOf(hours int) int {
	const day = 24
	switch {
	case hours <= day:
		return 1
	case hours <= 7*day:
		return day / 4
	}
	return day
}

func (p *plot) draw(spec plotSpec, begins []time.Time, sums [][]int, step int) {
	totals := make([]int, len(spec.series)+1)
	most, at := 0, 0
	for bar, counts := range sums {
		sum := 0
		for i, count := range counts {
			sum += count
			totals[i] = spec.add(totals[i], count)
		}
		totals[len(counts)] = spec.add(totals[len(counts)], sum)
		if sum > most {
			most, at = sum, bar
		}
	}
	for i, s := range spec.series {
		p.Keys = append(p.Keys, plotKey{s.mark, spec.write(totals[i])})
	}
	if most == 0 {
		return
	}
	for bar, counts := range sums {
		p.Bars = append(p.Bars, spec.bar(bar, begins[bar], step, counts, most))
	}
	p.Bars[len(p.Bars)-1].Last = true
	p.Width = len(sums)*barStep - (barStep - barBody)
	p.Most = spec.write(most)
	if !spec.level {
		p.Total = spec.write(totals[len(spec.series)])
	}
	p.Says = "Most " + p.Bars[at].Name + ": " + p.Most + ". Latest " + p.Bars[len(p.Bars)-1].Says + "."
}

// add adds a count to a total. The total of a level is the maximum.
func (s plotSpec) add(total, count int) int {
	if s.level {
		return max(total, count)
	}
	return total + count
}

// bar draws the counts of a part of the period, from the bottom up.
func (s plotSpec) bar(at int, begin time.Time, step int, counts []int, most int) plotBar {
	bar := plotBar{Name: begin.Format("15:04"), Short: begin.Format("15:04")}
	switch {
	case step > 1 && step < 24:
		bar.Name, bar.Short = begin.Format("Mon 2 Jan 15:04"), begin.Format("Mon 2 Jan")
	case step >= 24:
		bar.Name, bar.Short = begin.Format("Mon 2 Jan"), begin.Format("2 Jan")
	}
	bar.Says = bar.Name
	top := float64(plotHeight)
	for i, count := range counts {
		bar.Counts = append(bar.Counts, s.write(count))
		if count == 0 {
			continue
		}
		height := max(1, plotHeight*float64(count)/float64(most))
		top -= height
		bar.Parts = append(bar.Parts, plotPart{
			s.series[i].Tone, strconv.Itoa(at * barStep), oneDecimal(top), strconv.Itoa(barBody),
			oneDecimal(height),
		})
		bar.Says += ", " + s.series[i].Text + " " + s.write(count)
	}
	return bar
}

// First returns the label of the first bar. The template prints it below the bars.
func (p plot) First() string { return p.Bars[0].Short }

// Middle returns the label of the bar in the middle.
func (p plot) Middle() string { return p.Bars[len(p.Bars)/2].Short }

// greatestSeries returns the series with the largest totals, one per mark, and adds all others to
// the last one as "Other".
func greatestSeries(all []wire.ChartSeries, words map[string]string) []plotSeries {
	marks := []mark{{"bad", "cross", ""}, {"warn", "tri", ""}, {"info", "ring", ""}, {"mute", "square", ""}}
	all = slices.DeleteFunc(slices.Clone(all), func(s wire.ChartSeries) bool { return s.Total == 0 })
	slices.SortStableFunc(all, func(a, b wire.ChartSeries) int { return cmp.Compare(b.Total, a.Total) })
	var kept []plotSeries
	for i, s := range all {
		if i < len(marks) {
			shown := plotSeries{marks[i], s.Counts}
			shown.Text = cmp.Or(words[s.Name], s.Name)
			kept = append(kept, shown)
			continue
		}
		last := &kept[len(kept)-1]
		if i == len(marks) {
			last.Text, last.counts = "Other", slices.Clone(last.counts)
		}
		for hour, count := range s.Counts {
			last.counts[hour] += count
		}
	}
	return kept
}
