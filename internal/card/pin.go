package card

import "time"

// MaxPins is how many PINs are taken for one card in PinWindow, so that nobody can flood the
// processor. What cannot be taken for a PIN does not count.
const (
	MaxPins   = 5
	PinWindow = time.Hour
)

// AdmitResetPin returns the fault that keeps the customer from asking for a new PIN, or nil:
// 150403.
func (c Card) AdmitResetPin(customerID int) error { return c.admit(ResetPin, customerID) }
