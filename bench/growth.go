package main

import (
	"errors"
	"fmt"
	"time"
)

// growthAt is how many connections the growth is measured with: enough to be busy, and not so many
// that the time is spent in a queue.
const growthAt = 16

// growth compares how long the slowest requests take in a small and in a large database.
func (b *bench) growth(e engine) (err error) {
	servers := make([]*server, len(b.sizes))
	for i, cards := range b.sizes {
		servers[i], err = b.served(e, cards, "growth", "")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, servers[i].stop()) }()
		b.report.note(fmt.Sprintf("ready, %d cards", cards),
			servers[i].ready.Round(time.Millisecond).String(), "within 300 ms",
			servers[i].ready < 300*time.Millisecond)
	}
	for i := 1; i < len(servers); i++ {
		small, large := b.sizes[0], b.sizes[i]
		of := fmt.Sprintf(", %d / %d cards", large, small)
		err := b.compareMost("p99 of get"+of, 1.5,
			b.slowest(reading(servers[i].address, large)),
			b.slowest(reading(servers[0].address, small)))
		if err != nil {
			return err
		}
		err = b.compareMost("p99 of lock"+of, 1.5,
			b.slowest(locking(servers[i].address, large)),
			b.slowest(locking(servers[0].address, small)))
		if err != nil {
			return err
		}
	}
	largest := len(servers) - 1
	busy := b.rate(reading(servers[largest].address, b.sizes[largest]), many)
	if _, err := busy(); err != nil {
		return err
	}
	return b.memory(servers[largest],
		fmt.Sprintf("resident after 64 connections over %d cards", b.sizes[largest]), 400)
}

// reading reads cards from all over the database.
func reading(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		const large = 7_368_787 // a prime, so that neighbors in time are far from each other
		n := (connection*104_729 + turn) * large % cards
		return fmt.Sprintf("/card/get/%d/%d", firstCustomer+n/perCustomer, firstCard+n)
	})}
}

// slowest is the side that tells how long one request in a hundred takes, in milliseconds.
func (b *bench) slowest(w work) side {
	return func() (float64, error) {
		made, err := w.run(growthAt, b.lasting)
		if err == nil && made.refused > 0 {
			err = fmt.Errorf("%d requests were refused", made.refused)
		}
		return float64(made.p99.Microseconds()) / 1000, err
	}
}
