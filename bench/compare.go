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
	return b.take(comparison{name: name, want: want}, first, other)
}

// compareMost compares two sides of which the first should not be too much larger.
func (b *bench) compareMost(name string, want float64, first, other side) error {
	return b.take(comparison{name: name, want: want, atMost: true}, first, other)
}

func (b *bench) take(c comparison, first, other side) error {
	c, err := b.inTurns(c, first, other)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	b.report.compared(c)
	return nil
}

// inTurns compares two sides.
func (b *bench) inTurns(c comparison, first, other side) (comparison, error) {
	reached, err := b.turns(first, other)
	return reached.ratio(0, 1, c), err
}

// reached is what each side has reached in each turn.
type reached [][]float64

// turns runs sides one after the other, and each turn begins with another one, so that a machine
// that slows down does so for all. One turn that does not count warms them up.
func (b *bench) turns(sides ...side) (reached, error) {
	all := make(reached, len(sides))
	for turn := range b.rounds + 1 {
		for i := range sides {
			which := (i + turn) % len(sides)
			got, err := sides[which]()
			if err != nil {
				return all, err
			}
			if turn > 0 {
				all[which] = append(all[which], got)
			}
		}
	}
	return all, nil
}

// ratio is what the comparison of two of the sides has come to.
func (r reached) ratio(first, other int, c comparison) comparison {
	var ratios []float64
	for turn := range r[first] {
		ratios = append(ratios, r[first][turn]/r[other][turn])
	}
	c.ratio, c.first, c.other = median(ratios), median(r[first]), median(r[other])
	if len(ratios) > 0 {
		c.least, c.most = slices.Min(ratios), slices.Max(ratios)
	}
	return c
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
		made, err := b.answered(w, callers)
		return made.perSecond, err
	}
}

// slowest is the side that tells how long one request in a hundred takes, in milliseconds.
func (b *bench) slowest(w work) side {
	return func() (float64, error) {
		made, err := b.answered(w, growthAt)
		return milliseconds(made.p99), err
	}
}
