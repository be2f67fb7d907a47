package main

import (
	"fmt"
	"math"
	"slices"
)

// side is one of the two that are compared: it does for a while what it does, and returns how
// much of it in a second.
type side func() (float64, error)

// comparison is what a comparison has come to.
type comparison struct {
	store, name  string
	ratio        float64 // the median of the ratios of the turns
	least, most  float64
	want         float64 // 0 when nothing was
	atMost       bool    // the ratio should be at most what was wanted, not at least
	first, other float64 // medians
}

// compare runs two sides in turns. One turn that nobody counts warms both up.
func (b *bench) compare(name string, want float64, first, other side) error {
	return b.take(comparison{name: name, want: want}, first, other)
}

// compareMost compares two sides of which the first should not be too much larger.
func (b *bench) compareMost(name string, want float64, first, other side) error {
	return b.take(comparison{name: name, want: want, atMost: true}, first, other)
}

func (b *bench) take(c comparison, first, other side) error {
	var ratios, firsts, others []float64
	for turn := range b.rounds + 1 {
		a, err := first()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		z, err := other()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if turn == 0 {
			continue
		}
		ratios, firsts, others = append(ratios, a/z), append(firsts, a), append(others, z)
	}
	c.ratio, c.least, c.most = median(ratios), slices.Min(ratios), slices.Max(ratios)
	c.first, c.other = median(firsts), median(others)
	b.report.compared(c)
	return nil
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[len(sorted)/2]
}

// rate is the side that sends requests. A refused request would be one that is answered for less.
func (b *bench) rate(w work, connections int) side {
	return func() (float64, error) {
		made, err := w.run(connections, b.lasting)
		if err == nil && made.refused > 0 {
			err = fmt.Errorf("%d requests were refused", made.refused)
		}
		return made.perSecond, err
	}
}
