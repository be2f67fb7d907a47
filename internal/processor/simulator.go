// Package processor is the card processor's side: it takes orders for a new card, a card made
// again, or a PIN. It holds the simulator, which lets a sandbox run through a card's whole life
// within one second. Package store defines the orders, package issuing writes them.
package processor

import (
	"time"

	"mintmark/internal/card"
	"mintmark/internal/store"
)

// Simulator accepts every order at once: a new card is shipped, and a PIN is changed, the moment
// it is ordered (interface §6.5).
type Simulator struct{}

// Take returns the card after the order.
func (Simulator) Take(order store.ProcessorOrder, c card.Card, now time.Time) card.Card {
	if order.Kind != store.OrderCard {
		return c
	}
	c, _ = c.TakeOrder(now)
	c, _ = c.Ship(now)
	return c
}
