// Package processor is the card processor's side: what becomes of an order for a card, a card
// made anew, or a PIN. It holds the simulator, which lets a sandbox play a card's whole life
// within one second; which orders there are is told by package store, and when one is written by
// package issuing.
package processor

import (
	"time"

	"mintmark/internal/card"
	"mintmark/internal/store"
)

// Simulator takes every order at once and always answers well: a new card is shipped the moment
// it is ordered, and a PIN is changed at once (interface §6.5).
type Simulator struct{}

// Take returns the card as the order leaves it.
func (Simulator) Take(order store.ProcessorOrder, c card.Card, now time.Time) card.Card {
	if order.Kind != store.OrderCard {
		return c
	}
	c, _ = c.TakeOrder(now)
	c, _ = c.Ship(now)
	return c
}
