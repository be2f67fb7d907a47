package main

import (
	"errors"
	"fmt"
)

// writes compares many callers with one, whose commits are never grouped, and orders with locks.
func (b *bench) writes(e engine) (err error) {
	const cards = 10_000
	serving, err := b.served(e, cards, "writes")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	lock := func(callers int) side { return b.rate(locking(serving.address, cards), callers) }

	for _, c := range []struct {
		connections int
		want        float64
	}{{16, 2.5}, {many, 4}} {
		err := b.compare(fmt.Sprintf("lock, %d connections / 1 connection", c.connections), c.want,
			lock(c.connections), lock(1))
		if err != nil {
			return err
		}
	}
	for _, callers := range connections {
		want := 0.0
		if callers == many {
			want = 0.4
		}
		err := b.compare(fmt.Sprintf("initiate / lock, %d connections", callers), want,
			b.rate(ordering(serving.address, cards), callers), lock(callers))
		if err != nil {
			return err
		}
	}
	return nil
}
