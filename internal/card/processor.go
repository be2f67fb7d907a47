package card

import "time"

// The processor's acts, and that of time in expire.go. Where the status of the card does not allow
// the act, each returns the card as it was and false: a message that comes late changes nothing.

// TakeOrder notes that the processor has the order for the card. The date is that of the first
// order: a card made anew keeps it.
func (c Card) TakeOrder(now time.Time) (Card, bool) {
	if !c.Allows(TakeOrder, Always) || !c.Requested.IsZero() {
		return c, false
	}
	c.Requested, c.Modified = now, now
	return c, true
}

// Ship notes that the processor has sent the card to its holder.
func (c Card) Ship(now time.Time) (Card, bool) { return c.step(Ship, now) }

// Refuse notes that the processor will not make the card.
func (c Card) Refuse(now time.Time) (Card, bool) { return c.step(Refuse, now) }

func (c Card) step(act Act, now time.Time) (Card, bool) {
	to, possible := next(Always, c.Status, act)
	if !possible {
		return c, false
	}
	return c.withStatus(to, now), true
}
