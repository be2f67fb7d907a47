package card

import "time"

// MaxPins is the maximum number of PINs accepted for a card within PinWindow, so that the processor
// is not flooded. Invalid PINs do not count.
const (
	MaxPins   = 5
	PinWindow = time.Hour
)

// OrderPin records that a customer requested a new PIN, which the card does not show.
func (c Card) OrderPin(now time.Time) Card {
	c.Modified = now
	return c
}
