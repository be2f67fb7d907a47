package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// against compares the program with another one, usually an older build: every operation in turns,
// on copies of the same data. The other program creates the data, so that it need not support newer
// tables.
func (b *bench) against(other string) error {
	b.filler = other
	cards := min(speedCards, slices.Max(b.sizes))
	fmt.Printf("%s (after) / %s (before), requests a second, %d turns of %v each\n\n",
		b.program, other, b.rounds, b.lasting)
	fmt.Printf("%-10s %-34s %11s  %5s  %-13s  %9s %9s  %s\n", "store", "operation", "connections",
		"ratio", "spread", "after", "before", "p99 after, before")
	return b.eachEngine(func(e engine) error {
		for _, op := range operations {
			if !b.only.MatchString(e.name() + "/" + op.name) {
				continue
			}
			if err := b.operationAgainst(e, op, op.cards(cards), other); err != nil {
				return fmt.Errorf("%s: %s: %w", e.name(), op.name, err)
			}
		}
		return nil
	})
}

// operationAgainst compares one operation.
func (b *bench) operationAgainst(e engine, op operation, cards int, other string) (err error) {
	var servers [2]*server
	for i, program := range []string{b.program, other} {
		servers[i], err = b.servedFor(e, op, cards, program, "against")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, servers[i].stop()) }()
	}
	after := &timed{bench: b, work: op.work(servers[0], cards)}
	before := &timed{bench: b, work: op.work(servers[1], cards)}
	for _, callers := range []int{1, many} {
		after.begin(callers)
		before.begin(callers)
		c, err := b.inTurns(comparison{name: op.name}, after.run, before.run)
		if err != nil {
			return err
		}
		remark := ""
		if c.ratio < leastAgainst {
			remark = fmt.Sprintf("  below %.2f", leastAgainst)
		}
		fmt.Printf("%-10s %-34s %11d  %5.2f  %5.2f to %4.2f  %9.0f %9.0f  %v, %v%s\n", e.name(),
			op.name, callers, c.ratio, c.least, c.most, c.first, c.other,
			shown(median(after.p99)), shown(median(before.p99)), remark)
	}
	return op.verify(e, servers[0])
}

// leastAgainst is the smallest ratio that counts as no slower: on a machine with other work,
// smaller differences are noise.
const leastAgainst = 0.95

// timed is a side that records how long the slowest requests took.
type timed struct {
	*bench
	work    work
	callers int
	p99     []time.Duration
}

func (t *timed) begin(callers int) { t.callers, t.p99 = callers, nil }

func (t *timed) run() (float64, error) {
	reached, err := t.answered(t.work, t.callers)
	t.p99 = append(t.p99, reached.p99)
	return reached.perSecond, err
}
