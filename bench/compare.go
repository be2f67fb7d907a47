package main

import (
	"cmp"
	"fmt"
	"slices"
)

// side is one of the two sides of a comparison: it works for some time, and returns how much it did
// per second, or how long it took.
type side func() (float64, error)

// comparison is the result of a comparison.
type comparison struct {
	store, name  string
	ratio        float64 // the median of the ratios of the turns
	least, most  float64
	want         float64 // 0 for no target
	atMost       bool    // the target is an upper bound, not a lower one
	first, other float64 // medians
}

// compare runs two sides in turns, after a warm-up turn that does not count.
func (b *bench) compare(name string, want float64, first, other side) error {
	c, err := b.inTurns(comparison{name: name, want: want}, first, other)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.report.compared(c)
	return nil
}

// inTurns runs two sides one after the other; every other turn starts with the second, so that a
// machine that slows down affects both. A first turn warms up and does not count.
func (b *bench) inTurns(c comparison, first, other side) (comparison, error) {
	sides := []side{first, other}
	var reached [2][]float64
	for turn := range b.rounds + 1 {
		for i := range sides {
			which := (i + turn) % len(sides)
			got, err := sides[which]()
			if err != nil {
				return c, err
			}
			if turn > 0 {
				reached[which] = append(reached[which], got)
			}
		}
	}
	ratios := make([]float64, b.rounds)
	for turn := range ratios {
		ratios[turn] = reached[0][turn] / reached[1][turn]
	}
	c.ratio, c.first, c.other = median(ratios), median(reached[0]), median(reached[1])
	c.least, c.most = slices.Min(ratios), slices.Max(ratios)
	return c, nil
}

func median[T cmp.Ordered](of []T) T {
	var none T
	sorted := slices.Sorted(slices.Values(of))
	if len(sorted) == 0 {
		return none
	}
	return sorted[len(sorted)/2]
}

// rate returns the side that sends requests.
func (b *bench) rate(w work, callers int) side {
	return func() (float64, error) {
		reached, err := b.answered(w, callers)
		return reached.perSecond, err
	}
}
