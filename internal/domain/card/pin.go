package card

import "time"

// MaxPins is how many PINs are taken for one card in PinWindow, so that the processor is not
// flooded. Invalid PINs do not count.
const (
	MaxPins   = 5
	PinWindow = time.Hour
)

// OrderPin notes that a customer has asked for a new PIN, which the card does not show.
func (c Card) OrderPin(now time.Time) Card {
	c.Modified = now
	return c
}
