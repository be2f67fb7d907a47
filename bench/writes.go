package main

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// writes compares shared commits with one commit for each request, and orders with locks. Both
// servers are the same program on the same data.
func (b *bench) writes(e engine) (err error) {
	const cards = 10_000
	grouped, err := b.served(e, cards, "grouped", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, grouped.stop()) }()
	single, err := b.served(e, cards, "single", "database: {oneCommitPerRequest: true}\n")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, single.stop()) }()

	for _, c := range []struct {
		connections int
		want        float64
	}{{1, 0.9}, {16, 2.5}, {64, 4}} {
		err := b.compare(
			fmt.Sprintf("lock, shared / single commits, %d connections", c.connections), c.want,
			b.rate(locking(grouped.address, cards), c.connections),
			b.rate(locking(single.address, cards), c.connections))
		if err != nil {
			return err
		}
	}
	for _, connections := range []int{1, 16, 64} {
		want := 0.0
		if connections == many {
			want = 0.4
		}
		err := b.compare(fmt.Sprintf("initiate / lock, %d connections", connections), want,
			b.rate(ordering(grouped.address), connections),
			b.rate(locking(grouped.address, cards), connections))
		if err != nil {
			return err
		}
	}
	return nil
}

// nthCard is which of so many cards a connection writes to at a turn: to each of them twice, and
// then to another. No two connections share one.
func nthCard(cards, connection, turn int) int {
	const stride = 31
	return (turn/2*stride%(cards/many))*many + connection
}

// locking locks and unlocks a card, and goes on to the next.
func locking(address string, cards int) work {
	return work{address: address, request: post(
		func(_, turn int) string {
			if turn%2 == 0 {
				return "/card/lock"
			}
			return "/card/unlock"
		},
		func(connection, turn int) string {
			reason := ""
			if turn%2 == 0 {
				reason = `,"lockReasonTypeCode":"TMP"`
			}
			n := nthCard(cards, connection, turn)
			return fmt.Sprintf(`{"customerId":%d,"cardId":%d%s}`, firstCustomer+n/perCustomer,
				firstCard+n, reason)
		})}
}

// ordering orders cards, each under a name and a tag of its own.
func ordering(address string) work {
	return work{address: address, request: post(
		func(int, int) string { return "/card/initiate" },
		func(connection, turn int) string {
			n := ordered.Add(1)
			customer := connection % 1000
			return fmt.Sprintf(`{"customerId":%d,"cardHolderCustomerId":%d,"vendorTypeCode":"VS",`+
				`"primaryAccountId":%d,"firstName":"Jane","lastName":"Sample",`+
				`"nickName":"New %d","tag":"new-%d"}`, firstCustomer+customer,
				firstCustomer+customer, firstAccount+customer, n, n)
		})}
}

// ordered counts the orders of the run, for names that were never used.
var ordered atomic.Int64
