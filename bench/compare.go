package main

import (
	"cmp"
	"fmt"
	"slices"
)

// side is one of the two that are compared: it works for a while, and returns how much it has done
// in a second, or how long it took.
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

// compare runs two sides in turns. One turn that does not count warms both up.
func (b *bench) compare(name string, want float64, first, other side) error {
	c, err := b.inTurns(comparison{name: name, want: want}, first, other)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.report.compared(c)
	return nil
}

// inTurns runs two sides one after the other, and every other turn begins with the second, so that
// a machine that slows down does so for both. One turn that does not count warms them up.
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

// rate is the side that sends requests.
func (b *bench) rate(w work, callers int) side {
	return func() (float64, error) {
		reached, err := b.answered(w, callers)
		return reached.perSecond, err
	}
}
