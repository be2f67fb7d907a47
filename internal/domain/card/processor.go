package card

import "time"

// The acts of the processor; the act of time is in expire.go. If the status of the card does not
// allow the act, each returns the card unchanged and false: a late report changes nothing. A report
// may also return true and change nothing. Locks are in lock.go.

// TakeOrder records that the processor has received the order for the card. The date is that of the
// first order: a remade card keeps it.
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

// Ship records that the processor has sent the card to its holder. Each shipment restarts the
// verification window. A processor that ships has received the order, even if it did not report
// that. A digital card is never shipped.
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

// Deliver records that the card has arrived. The card does not change: its holder verifies it.
func (c Card) Deliver(time.Time) (Card, bool) { return c, c.Allows(Deliver, Always) }

// Return records that the card came back undelivered. The card does not change: the processor has
// it and ships it again, or it expires at the end of its verification window.
func (c Card) Return(time.Time) (Card, bool) { return c, c.Allows(Return, Always) }

// Refuse records that the processor will not make the card. If the report names no order, it can
// only mean a card that was never shipped.
func (c Card) Refuse(now time.Time) (Card, bool) { return c.step(Refuse, now) }

// RefuseToMake records that the processor refused the order to make this card.
func (c Card) RefuseToMake(now time.Time) (Card, bool) { return c.step(RefuseToMake, now) }

// SetPin records that the processor changed the PIN. It does not clear a lock: an operator clears a
// lock for PIN tries.
func (c Card) SetPin(time.Time) (Card, bool) { return c, c.Allows(SetPin, Always) }

// ExceedPinTries records that a wrong PIN was entered too often, which locks the card.
func (c Card) ExceedPinTries(now time.Time) (Card, bool) { return c.lockReported(PinRetries, now) }

// Compromise records that the card number was compromised, which locks the card permanently.
func (c Card) Compromise(now time.Time) (Card, bool) { return c.lockReported(SuspectedFraud, now) }

func (c Card) lockReported(reason Reason, now time.Time) (Card, bool) {
	if !c.Allows(LockBySystem, Always) {
		return c, false
	}
	return c.LockBySystem(reason, now), true
}

// step moves the card to the status that the table gives. A status that does not change keeps its
// date.
func (c Card) step(act Act, now time.Time) (Card, bool) {
	to, possible := next(Always, c.Status, act)
	if !possible || to == c.Status {
		return c, possible
	}
	return c.withStatus(to, now), true
}
