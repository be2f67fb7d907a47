package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// growthAt is the number of connections for the growth measurement: enough to keep the server busy,
// and few enough to avoid queueing.
const growthAt = 16

// latency is the time of an operation with a number of cards in the database.
type latency struct {
	store, operation string
	cards            int
	p50, p99         time.Duration
}

// growth measures the time of reads and writes in small and in large databases.
func (b *bench) growth(e engine) (err error) {
	servers := make([]*server, len(b.sizes))
	for i, cards := range b.sizes {
		servers[i], err = b.served(e, cards, "growth")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, servers[i].stop()) }()
		b.report.note(fmt.Sprintf("ready, %d cards", cards),
			servers[i].ready.Round(time.Millisecond).String(), "within 300 ms",
			servers[i].ready < 300*time.Millisecond)
	}
	for _, op := range []operation{{name: "get", work: called(reading)}, {name: "lock", work: called(locking)}} {
		if err := b.growthOf(op, servers); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
	}
	largest := len(servers) - 1
	busy := reading(servers[largest].address, b.sizes[largest])
	if _, err := b.answered(busy, many); err != nil {
		return err
	}
	return b.memory(servers[largest],
		fmt.Sprintf("resident after 64 connections over %d cards", b.sizes[largest]), 300)
}

// growthOf queries the servers of all sizes in turns, and compares each with the smallest.
func (b *bench) growthOf(op operation, servers []*server) error {
	p50, p99 := make([][]time.Duration, len(servers)), make([][]time.Duration, len(servers))
	for turn := range b.rounds + 1 {
		for i, server := range servers {
			reached, err := b.answered(op.work(server, b.sizes[i]), growthAt)
			if err != nil {
				return err
			}
			if turn > 0 { // the first warms up
				p50[i], p99[i] = append(p50[i], reached.p50), append(p99[i], reached.p99)
			}
		}
	}
	for i, cards := range b.sizes {
		b.report.grown(latency{b.report.store, op.name, cards, median(p50[i]), median(p99[i])})
		if i == 0 {
			continue
		}
		ratios := make([]float64, b.rounds)
		for turn := range ratios {
			ratios[turn] = p99[i][turn].Seconds() / p99[0][turn].Seconds()
		}
		b.report.compared(comparison{
			name: fmt.Sprintf("p99 of %s, %d / %d cards", op.name, cards, b.sizes[0]),
			want: 1.5, atMost: true, ratio: median(ratios),
			least: slices.Min(ratios), most: slices.Max(ratios),
			first: milliseconds(median(p99[i])), other: milliseconds(median(p99[0])),
		})
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
