package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// report collects the measurements, prints each as it is made, and writes them to a page at the
// end.
type report struct {
	machine   string
	store     string // the engine being measured
	speeds    []speedOf
	latencies []latency
	rows      []comparison
	facts     []fact
	notes     []string // what was not measured, and why
}

// fact is a single measurement, without a comparison.
type fact struct {
	store             string // the engine, if the fact is about one
	what, value, want string
	kept              bool
}

func (r *report) measured(s speedOf) {
	r.speeds = append(r.speeds, s)
	fmt.Printf("%-10s %-34s %2d connections  %6.0f/s  p50 %s, p99 %s\n", s.store, s.operation,
		s.connections, s.perSecond, shown(s.p50), shown(s.p99))
}

func (r *report) grown(l latency) {
	r.latencies = append(r.latencies, l)
	fmt.Printf("%-10s %-34s %7d cards  p50 %s, p99 %s\n", l.store, l.operation, l.cards,
		shown(l.p50), shown(l.p99))
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

// skipped records that something was not measured.
func (r *report) skipped(note string) {
	r.notes = append(r.notes, note)
	fmt.Println(note)
}

// verdict returns the target and whether it was reached.
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

// The charts, beside the page.
const (
	throughputFile = "performance-throughput.svg"
	latencyFile    = "performance-latency.svg"
)

// write writes the report as a page, and the charts beside it.
func (r *report) write(page string) error {
	for name, text := range map[string]string{
		filepath.Base(page): r.page(), throughputFile: r.throughput(), latencyFile: r.growthChart(),
	} {
		err := os.WriteFile(filepath.Join(filepath.Dir(page), name), []byte(text), 0o644)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *report) page() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# How fast\n\nMeasured on %s at commit %s by `make bench`, which writes "+
		"this page, on one machine that runs the server, the database and the callers: %s.\n",
		time.Now().Format(time.DateOnly), commit(), r.machine)
	text.WriteString(speedText)
	r.speedTable(&text)
	text.WriteString(latencyText)
	r.latencyTable(&text)
	text.WriteString(ratioText)
	text.WriteString("\n| Store | Comparison | Ratio | Spread | Wanted | Each |\n" +
		"|---|---|---|---|---|---|\n")
	for _, c := range r.rows {
		fmt.Fprintf(&text, "| %s | %s | %.2f | %.2f to %.2f | %s | %.4g, %.4g |\n",
			c.store, c.name, c.ratio, c.least, c.most, c.verdict(), c.first, c.other)
	}
	text.WriteString("\n## What else was measured\n\n" +
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

const speedText = `
## Requests a second

Each cell is how many requests were answered in a second, and within which time 99 of 100 were. The
database holds 100,000 cards, or 300,000 that are verified once each. Each caller has one connection
and sends its next request when the last is answered. Every write is on disk before it is answered.

![Requests a second by operation, with 64 connections](` + throughputFile + `)

| Operation | Store | 1 connection | 16 connections | 64 connections |
|---|---|---|---|---|
`

const latencyText = `
## Latency and the number of cards

With 16 connections. The time should hardly depend on how many cards there are.

![Latency of get and lock by the number of cards](` + latencyFile + `)

| Operation | Store | Cards | Median | 99 of 100 within |
|---|---|---|---|---|
`

const ratioText = `
## Against what is possible

Numbers of another machine say little about yours, so these are ratios. Both sides of a comparison
run in turns. The ratio is the median over the turns, the spread the least and the most. "Each" is
what either side reached, in requests a second or, for p99, in milliseconds.

- **Bare** is a handler of Go's net/http with the same bytes from memory and nothing else: no
  credentials, no log, no store.
- **From the store**: the reads go round more cards than the read cache holds, so nearly each of
  them looks into the database. **From the cache**: the cache holds all of them.
- **The bare loop** writes the rows of locks into the same kind of database, and does nothing else.
  The rows are copied from those that the program has written.
- **The bare handler with a row** also reads one card by its number, and nothing that belongs to it,
  through as many connections to the database as the program has.
- **pgbench** sends the statements of a lock, as they were overheard between the program and the
  server: once with a trip to the server for each of them, and once in as few trips as the program
  makes.
- **lock, 64 connections / 1 connection** shows what it brings that writes share commits: with one
  connection each lock waits for a commit of its own.
`

func (r *report) speedTable(text *strings.Builder) {
	for _, op := range operations {
		for _, e := range engines {
			var cells []string
			for _, s := range r.speeds {
				if s.operation == op.name && s.store == e.name() {
					cells = append(cells, thousands(s.perSecond)+"/s, "+shown(s.p99))
				}
			}
			if len(cells) > 0 {
				fmt.Fprintf(text, "| %s | %s | %s |\n", op.name, e.name(),
					strings.Join(cells, " | "))
			}
		}
	}
}

func (r *report) latencyTable(text *strings.Builder) {
	for _, l := range r.latencies {
		fmt.Fprintf(text, "| %s | %s | %s | %s | %s |\n", l.operation, l.store,
			thousands(float64(l.cards)), shown(l.p50), shown(l.p99))
	}
}

// thousands formats a number with a comma after every three digits.
func thousands(number float64) string {
	digits := fmt.Sprintf("%.0f", number)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
