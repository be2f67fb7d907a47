package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

// operation is one that callers use, as the tables of the report name it.
type operation struct {
	name string
	// verifies says that the operation needs cards that wait to be verified, each of them once.
	verifies bool
	work     func(address string, cards int) work
}

// cards is how large a database the operation needs, where the others have so many.
func (op operation) cards(others int) int {
	if op.verifies {
		return 3 * others
	}
	return others
}

// operations are those that the report gives numbers of.
var operations = []operation{
	{"get a card", false, reading},
	{"get a card by its tag", false, byTag},
	{"list the ten cards of a customer", false, listing},
	{"get the program", false, programs},
	{"initiate a card", false, ordering},
	{"verify a card", true, verifying},
	{"lock and unlock a card", false, locking},
}

// connections are how many callers the operations are measured with.
var connections = []int{1, 16, 64}

// many is how many connections the ratios of reads are measured with.
const many = 64

// scattered is the number of a card, from all over the database. It comes again when all others
// were named.
func scattered(cards, connection, turn int) int {
	const large = 7_368_787 // a prime, so that neighbors in time are far from each other
	return (connection*104_729 + turn) * large % cards
}

// reading reads cards from all over the database.
func reading(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		n := scattered(cards, connection, turn)
		return fmt.Sprintf("/card/get/%d/%d", firstCustomer+n/perCustomer, firstCard+n)
	})}
}

// byTag reads the same cards by their tags.
func byTag(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		n := scattered(cards, connection, turn)
		return fmt.Sprintf("/card/getbytag/%d/bench-%d", firstCustomer+n/perCustomer, n)
	})}
}

// listing lists the cards of one customer after the other.
func listing(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		n := scattered(cards/perCustomer, connection, turn)
		return fmt.Sprintf("/card/list/%d", firstCustomer+n)
	})}
}

// programs reads the settings of the program.
func programs(address string, _ int) work {
	return work{address: address, request: get(func(int, int) string { return "/program/get" })}
}

// nthCard is the card that a connection writes to at a turn: each one twice, and then another. No
// two connections share one.
func nthCard(cards, connection, turn int) int {
	const stride = 31
	return (turn/2*stride%(cards/many))*many + connection
}

// locking locks and unlocks a card, and goes on to the next.
func locking(address string, cards int) work {
	return work{address: address, request: post(
		func(_, turn int) string { return "/card/" + turned(turn) },
		func(connection, turn int) string {
			return lockBody(firstCard+nthCard(cards, connection, turn), turn)
		})}
}

// turned is what is done with a card at a turn.
func turned(turn int) string { return []string{"lock", "unlock"}[turn%2] }

// lockBody is the request for it.
func lockBody(card, turn int) string {
	reason := ""
	if turn%2 == 0 {
		reason = `,"lockReasonTypeCode":"TMP"`
	}
	return fmt.Sprintf(`{"customerId":%d,"cardId":%d%s}`, customerOf(card), card, reason)
}

// lockOnce locks a card, or unlocks it, according to the turn.
func lockOnce(address string, card, turn int) error {
	one := work{address: address, request: func(to []byte, _, sent int) []byte {
		if sent > 0 {
			return to
		}
		return postTo("/card/"+turned(turn),
			func(int, int) string { return lockBody(card, turn) })(to, 0, 0)
	}}
	made, err := one.run(1, time.Minute)
	if err == nil && made.refused > 0 {
		err = fmt.Errorf("card %d is refused a %s", card, turned(turn))
	}
	return err
}

// ordering orders cards, each under a name and a tag of its own.
func ordering(address string, cards int) work {
	return work{address: address, request: postTo("/card/initiate",
		func(connection, turn int) string {
			n := ordered.Add(1)
			customer := spread(int(n), cards/perCustomer)
			return fmt.Sprintf(`{"customerId":%d,"cardHolderCustomerId":%d,"vendorTypeCode":"VS",`+
				`"primaryAccountId":%d,"firstName":"Jane","lastName":"Sample",`+
				`"nickName":"New %d","tag":"new-%d"}`, firstCustomer+customer,
				firstCustomer+customer, firstAccount+customer, n, n)
		})}
}

// ordered counts the orders of the run, for names that were never used.
var ordered atomic.Int64

// spread goes once round so many things in leaps. Neighbors share pages of an index, on which
// transactions of PostgreSQL collide, and the customers of a bank do not come in the order of their
// numbers.
func spread(n, count int) int {
	const leap = 99_991 // a prime that divides no count of the measurements
	return int(int64(n) * leap % int64(count))
}

// verifying verifies each card once, until there are no more.
func verifying(address string, cards int) work {
	var next atomic.Int64
	return work{address: address, request: func(to []byte, connection, turn int) []byte {
		n := int(next.Add(1) - 1)
		if n >= cards {
			return to
		}
		n = spread(n, cards)
		return postTo("/card/verify", func(int, int) string {
			return fmt.Sprintf(`{"customerId":%d,"cardId":%d,"birthDate":"1985-03-14",`+
				`"cardNumberMasked":"1111"}`, firstCustomer+n/perCustomer, firstCard+n)
		})(to, connection, turn)
	}}
}
