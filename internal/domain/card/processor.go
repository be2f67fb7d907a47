package card

import "time"

// The acts of the processor, and that of time in expire.go. Where the status of the card does not
// allow the act, each returns the card as it was and false: a report that comes late changes
// nothing. A report may also be true and leave nothing to change. What locks a card is in lock.go.

// TakeOrder notes that the processor has the order for the card. The date is that of the first
// order: a card made anew keeps it.
func (c Card) TakeOrder(now time.Time) (Card, bool) {
	if !c.Allows(TakeOrder, Always) {
		return c, false
	}
	return c.withRequested(now), true
}

func (c Card) withRequested(now time.Time) Card {
	if c.Requested.IsZero() {
		c.Requested, c.Modified = now, now
	}
	return c
}

// Ship notes that the processor has sent the card to its holder. From then on the verification
// window runs, again when the card is sent again. A processor that ships has taken the order, also
// when that was not reported. A digital card is never shipped.
func (c Card) Ship(now time.Time) (Card, bool) {
	if c.DigitalOnly {
		return c, false
	}
	c, shipped := c.step(Ship, now)
	if shipped {
		c = c.withRequested(now)
		c.Shipped, c.Modified = now, now
	}
	return c, shipped
}

// Deliver notes that the card has arrived. Nothing of the card changes: its holder verifies it.
func (c Card) Deliver(time.Time) (Card, bool) { return c, c.Allows(Deliver, Always) }

// Return notes that the card has come back undelivered. Nothing of the card changes: it is in the
// hands of the processor, who ships it again, or it runs out at the end of its verification window.
func (c Card) Return(time.Time) (Card, bool) { return c, c.Allows(Return, Always) }

// Refuse notes that the processor will not make the card. Without the name of an order only a card
// that was never shipped can be meant.
func (c Card) Refuse(now time.Time) (Card, bool) { return c.step(Refuse, now) }

// RefuseToMake notes that the processor has refused the order to make this card.
func (c Card) RefuseToMake(now time.Time) (Card, bool) { return c.step(RefuseToMake, now) }

// SetPin notes that the processor has changed the PIN. It does not clear a lock: that of PIN tries
// is cleared by an operator.
func (c Card) SetPin(time.Time) (Card, bool) { return c, c.Allows(SetPin, Always) }

// ExceedPinTries notes that a wrong PIN was tried too often, which locks the card.
func (c Card) ExceedPinTries(now time.Time) (Card, bool) { return c.lockReported(PinRetries, now) }

// Compromise notes that the number of the card is known to others, which locks it for ever.
func (c Card) Compromise(now time.Time) (Card, bool) { return c.lockReported(SuspectedFraud, now) }

func (c Card) lockReported(reason Reason, now time.Time) (Card, bool) {
	if !c.Allows(LockBySystem, Always) {
		return c, false
	}
	return c.LockBySystem(reason, now), true
}

// step takes the card to the status that the table says. A status that stays keeps its date.
func (c Card) step(act Act, now time.Time) (Card, bool) {
	to, possible := next(Always, c.Status, act)
	if !possible || to == c.Status {
		return c, possible
	}
	return c.withStatus(to, now), true
}
