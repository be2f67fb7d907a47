package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// chartHead starts a chart of a width and a height. Its colours suit a light and a dark page.
const chartHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" ` +
	`height="%[2]d" font-family="system-ui, sans-serif" font-size="12" role="img">
<style>
text { fill: #1f2328 } .axis { stroke: #8c959f; fill: none }
.embedded { fill: #0969da; stroke: #0969da } .postgresql { fill: #bc4c00; stroke: #bc4c00 }
path.embedded, path.postgresql { fill: none; stroke-width: 2 } .median { stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .embedded { fill: #4493f8; stroke: #4493f8 }
.postgresql { fill: #f0883e; stroke: #f0883e } path.embedded, path.postgresql { fill: none }
}
</style>
`

// throughput draws a bar for each operation and store, with the highest measured number of
// connections.
func (r *report) throughput() string {
	const row, left, width, top = 18, 230, 330, 34
	most, callers := 1.0, connections[len(connections)-1]
	for _, s := range r.speeds {
		most = max(most, s.perSecond)
	}
	var text strings.Builder
	y := top
	for _, op := range operations {
		named := false
		for _, s := range r.speeds {
			if s.operation != op.name || s.connections != callers {
				continue
			}
			if !named {
				fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
					left-8, y+row-5, op.name)
				named = true
			}
			bar := max(1, s.perSecond/most*width)
			fmt.Fprintf(&text, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>`+"\n",
				s.store, left, y+2, bar, row-5)
			fmt.Fprintf(&text, `<text x="%.1f" y="%d">%s/s</text>`+"\n",
				left+bar+6, y+row-5, thousands(s.perSecond))
			y += row
		}
		y += row / 3
	}
	legend := fmt.Sprintf(`<text x="8" y="18">Requests a second, %d connections</text>`+"\n",
		callers) + stores(left+110)
	return fmt.Sprintf(chartHead, left+width+80, y+6) + legend + text.String() + "</svg>\n"
}

// stores draws the legend of the stores from x on.
func stores(x int) string {
	var text strings.Builder
	for _, e := range engines {
		fmt.Fprintf(&text, `<rect class="%s" x="%d" y="8" width="12" height="12"/>`+
			`<text x="%d" y="18">%s</text>`+"\n", e.name(), x, x+18, e.name())
		x += 110
	}
	return text.String()
}

// growthChart draws the latency of each operation over the number of cards: a panel for each
// operation, a line for each store.
func (r *report) growthChart() string {
	const width, height, left, top, gap = 250, 150, 60, 56, 80
	var text strings.Builder
	fmt.Fprintf(&text, chartHead, left+2*width+gap+40, top+height+48)
	text.WriteString(`<text x="8" y="18">Milliseconds by number of cards: 99 of 100 within ` +
		`(line), median (dashes)</text>` + "\n" + stores(left+400))
	for i, op := range []string{"get", "lock"} {
		panel{r, op, left + i*(width+gap), top, width, height}.draw(&text)
	}
	text.WriteString("</svg>\n")
	return text.String()
}

// panel is a part of a chart with its own axes.
type panel struct {
	*report
	operation           string
	x, y, width, height int
}

func (p panel) draw(text *strings.Builder) {
	longest, fewest, most := 1.0, math.MaxInt, 1
	for _, l := range p.latencies {
		fewest, most = min(fewest, l.cards), max(most, l.cards)
		if l.operation == p.operation {
			longest = max(longest, milliseconds(l.p99))
		}
	}
	bottom := p.y + p.height
	at := func(cards int, taken time.Duration) (x, y float64) {
		span := max(1, math.Log10(float64(most))-math.Log10(float64(fewest)))
		along := (math.Log10(float64(cards)) - math.Log10(float64(fewest))) / span
		return float64(p.x) + along*float64(p.width),
			float64(bottom) - milliseconds(taken)/longest*float64(p.height)
	}
	fmt.Fprintf(text, `<path class="axis" d="M%d %dV%dH%d"/>`+"\n", p.x, p.y, bottom, p.x+p.width)
	fmt.Fprintf(text, `<text x="%d" y="%d">%s</text>`+"\n", p.x, p.y-8, p.operation)
	fmt.Fprintf(text, `<text x="%d" y="%d" text-anchor="end">%.1f ms</text>`+
		`<text x="%d" y="%d" text-anchor="end">0</text>`+"\n", p.x-6, p.y+8, longest, p.x-6, bottom)
	labelled := make(map[int]bool)
	for _, e := range engines {
		var slowest, median []string
		for _, l := range p.latencies {
			if l.store != e.name() || l.operation != p.operation {
				continue
			}
			x, y := at(l.cards, l.p99)
			slowest = append(slowest, fmt.Sprintf("%.1f %.1f", x, y))
			x, y = at(l.cards, l.p50)
			median = append(median, fmt.Sprintf("%.1f %.1f", x, y))
			if !labelled[l.cards] {
				labelled[l.cards] = true
				fmt.Fprintf(text, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
					x, bottom+18, thousands(float64(l.cards)))
			}
		}
		if len(slowest) > 0 {
			fmt.Fprintf(text, `<path class="%s" d="M%s"/><path class="%[1]s median" d="M%[3]s"/>`+
				"\n", e.name(), strings.Join(slowest, "L"), strings.Join(median, "L"))
		}
	}
}
