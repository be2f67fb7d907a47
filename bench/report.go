package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// report gathers what was measured, prints it as it comes, and writes it down at the end.
type report struct {
	busy  string // how busy the machine was before the run
	store string // what is being measured: the name of an engine
	rows  []comparison
	facts []fact
	notes []string // what was not measured, and why
}

// busyness is how many processes have wanted to run of late: 1, 5 and 15 minutes. A machine that
// does other things as well shows in the spread.
func busyness() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], ", ")
}

// fact is something that is measured by itself.
type fact struct {
	store             string // which it is about, if it is about one
	what, value, want string
	kept              bool
}

func (r *report) compared(c comparison) {
	c.store = r.store
	r.rows = append(r.rows, c)
	fmt.Printf("%-10s %-50s %5.2f  (%.2f to %.2f)  %s  [%.4g, %.4g]\n",
		c.store, c.name, c.ratio, c.least, c.most, c.verdict(), c.first, c.other)
}

func (r *report) note(what, value, want string, kept bool) {
	r.facts = append(r.facts, fact{r.store, what, value, want, kept})
	fmt.Printf("%-10s %-50s %s  (%s: %s)\n", r.store, what, value, want, yesOrNo(kept))
}

// skipped notes that something was not measured.
func (r *report) skipped(note string) {
	r.notes = append(r.notes, note)
	fmt.Println(note)
}

// verdict tells what was wanted and whether it was reached.
func (c comparison) verdict() string {
	switch {
	case c.want == 0:
		return "to know"
	case c.atMost:
		return fmt.Sprintf("at most %.2g: %s", c.want, yesOrNo(c.ratio <= c.want))
	}
	return fmt.Sprintf("at least %.2g: %s", c.want, yesOrNo(c.ratio >= c.want))
}

func yesOrNo(kept bool) string {
	if kept {
		return "yes"
	}
	return "no"
}

// write writes the report as a page, and the chart beside it.
func (r *report) write(page string) error {
	chart := strings.TrimSuffix(page, ".md") + ".svg"
	if err := os.WriteFile(chart, []byte(r.chart()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(page, []byte(r.page()), 0o644)
}

func (r *report) page() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# How fast\n\nMeasured on %s with %d cores, %s, at commit %s, by\n\n"+
		"    make bench\n\nwhich writes this page.\n", time.Now().Format(time.DateOnly),
		runtime.NumCPU(), runtime.Version(), commit())
	text.WriteString(explanation)
	text.WriteString("\n| Store | Comparison | Ratio | Spread | Wanted | Each |\n" +
		"|---|---|---|---|---|---|\n")
	for _, c := range r.rows {
		fmt.Fprintf(&text, "| %s | %s | %.2f | %.2f to %.2f | %s | %.4g, %.4g |\n",
			c.store, c.name, c.ratio, c.least, c.most, c.verdict(), c.first, c.other)
	}
	text.WriteString("\n![The ratios as bars](performance.svg)\n\n" +
		"| Store | Fact | Value | Wanted |\n|---|---|---|---|\n")
	for _, f := range r.facts {
		fmt.Fprintf(&text, "| %s | %s | %s | %s: %s |\n",
			f.store, f.what, f.value, f.want, yesOrNo(f.kept))
	}
	for _, note := range r.notes {
		text.WriteString("\n" + note + "\n")
	}
	return text.String()
}

const explanation = `
Numbers of one machine say little, so these are ratios: both sides of a comparison run in turns,
and the load generator runs on the same machine. The ratio is the median over the turns, the spread
the least and the most. "Each" is what either side reached, in requests a second or, for p99, in
milliseconds. The bare handler is Go's net/http with the same bytes from memory and nothing else:
no credentials, no log, no store. The bare loop writes the rows of locks into the same kind of
database, without anybody in between. The bare handler with a row also reads a card by its number,
and nothing that belongs to it, through a pool of connections as large as the program's. pgbench
runs the statements of a lock, in a trip to the server each or in as few as the program. Every
commit waits for the disk.
`

// chart draws a bar for each ratio, and a stroke where it was wanted.
func (r *report) chart() string {
	const (
		row, left, width, top = 26, 400, 420, 10
		scale                 = width / 6.0 // pixels for a ratio of 1
	)
	var text strings.Builder
	fmt.Fprintf(&text, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" `+
		`font-family="sans-serif" font-size="12">`+"\n", left+width+60, top*2+row*len(r.rows))
	for i, c := range r.rows {
		y := top + i*row
		bar, wanted := min(c.ratio*scale, width), min(c.want*scale, width)
		fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="end">%s: %s</text>`+"\n",
			left-8, y+15, c.store, c.name)
		fmt.Fprintf(&text, `<rect x="%d" y="%d" width="%.1f" height="16" fill="#4a7"/>`+"\n",
			left, y+3, bar)
		fmt.Fprintf(&text, `<text x="%.1f" y="%d">%.2f</text>`+"\n",
			left+max(bar, wanted)+6, y+15, c.ratio)
		if c.want > 0 {
			fmt.Fprintf(&text, `<path d="M%.1f %dv22" stroke="#a33" stroke-width="2"/>`+"\n",
				left+wanted, y)
		}
	}
	text.WriteString("</svg>\n")
	return text.String()
}
