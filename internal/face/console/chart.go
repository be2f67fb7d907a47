package console

import (
	"fmt"
	"strconv"
)

// column is a bar of a chart.
type column struct {
	Name       string
	Count      int
	X, Y, W, H string
	Last       bool // its time is not over yet
}

// chart is counts over time, drawn by the server. The last column is that of now.
type chart struct {
	Columns []column
	Width   int
	Says    string // for those who do not see it
	From    string
	Middle  string
}

// The measures of a chart, in its own units.
const (
	chartHeight = 56
	columnWidth = 8
	columnStep  = 10
	barWidth    = 1000
	barGap      = 2
)

// newChart draws columns whose height is their share of the greatest.
func newChart(title string, columns []column) chart {
	drawn := chart{Columns: columns, Width: len(columns)*columnStep - (columnStep - columnWidth)}
	if len(columns) == 0 {
		return chart{Says: title + ": nothing"}
	}
	least, most := 0, 0
	for i, one := range columns {
		if one.Count > columns[most].Count {
			most = i
		}
		if one.Count < columns[least].Count {
			least = i
		}
	}
	for i := range columns {
		one := &columns[i]
		height := 0.0
		if columns[most].Count > 0 {
			height = float64(chartHeight-4) * float64(one.Count) / float64(columns[most].Count)
		}
		if one.Count > 0 {
			height = max(height, 1)
		}
		one.X, one.W = strconv.Itoa(i*columnStep), strconv.Itoa(columnWidth)
		one.Y, one.H = tenth(chartHeight-height), tenth(height)
		one.Last = i == len(columns)-1
	}
	drawn.From, drawn.Middle = columns[0].Name, columns[len(columns)/2].Name
	last := columns[len(columns)-1].Count
	drawn.Says = fmt.Sprintf("%s: quietest at %s with %s, busiest at %s with %s, %s so far "+
		"this hour", title, columns[least].Name, count(columns[least].Count), columns[most].Name,
		count(columns[most].Count), count(last))
	return drawn
}

func tenth(number float64) string { return strconv.FormatFloat(number, 'f', 1, 64) }

// bar places the shares of a whole side by side. A share that is there is always seen.
type bar struct {
	total, at float64
	room      float64
}

func newBar(total, shares int) *bar {
	return &bar{total: float64(total), room: float64(barWidth - barGap*(shares-1))}
}

// next returns place and width of the next share.
func (b *bar) next(count int) (x, width string) {
	const least = 2
	if count == 0 || b.total == 0 {
		return tenth(b.at), "0"
	}
	w := max(least, b.room*float64(count)/b.total)
	w = min(w, max(0, barWidth-b.at))
	x = tenth(b.at)
	b.at += w + barGap
	return x, tenth(w)
}

// percent writes a share of a whole.
func percent(count, total int) string {
	if total == 0 {
		return "0 %"
	}
	const whole = 100
	return tenth(whole*float64(count)/float64(total)) + " %"
}

// progressBar is how much of a whole is done.
type progressBar struct {
	Done, Total int
	Percent     string
	W           string // of the bar
}

func newProgress(done, total int) progressBar {
	drawn := progressBar{Done: done, Total: total, Percent: percent(done, total)}
	_, drawn.W = newBar(total, 1).next(done)
	return drawn
}
