package card

import "time"

// MaxPins is how many PINs are taken for one card in PinWindow, so that the processor is not
// flooded. What is no PIN does not count.
const (
	MaxPins   = 5
	PinWindow = time.Hour
)
