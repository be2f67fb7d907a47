package console

import "strconv"

// Dimensions of a bar, in the units of its drawing.
const (
	barWidth = 1000
	barGap   = 2
)

func oneDecimal(number float64) string { return strconv.FormatFloat(number, 'f', 1, 64) }

// bar places the shares of a whole side by side. A share above 0 stays visible, however small.
type bar struct {
	total, at float64
	room      float64
}

func newBar(total, shares int) *bar {
	return &bar{total: float64(total), room: float64(barWidth - barGap*(shares-1))}
}

// next returns the position and width of the next share.
func (b *bar) next(count int) (x, width string) {
	const least = 2
	if count == 0 || b.total == 0 {
		return oneDecimal(b.at), "0"
	}
	w := max(least, b.room*float64(count)/b.total)
	w = min(w, max(0, barWidth-b.at))
	x = oneDecimal(b.at)
	b.at += w + barGap
	return x, oneDecimal(w)
}

// percent formats a share of a whole.
func percent(count, total int) string {
	if total == 0 {
		return "0 %"
	}
	const whole = 100
	return oneDecimal(whole*float64(count)/float64(total)) + " %"
}

// progressBar shows progress.
type progressBar struct {
	Done, Total int
	Percent     string
	W           string // width in the bar
}

func newProgress(done, total int) progressBar {
	drawn := progressBar{Done: done, Total: total, Percent: percent(done, total)}
	_, drawn.W = newBar(total, 1).next(done)
	return drawn
}
