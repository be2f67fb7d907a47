package card

import "time"

// The processor's acts, and that of time. Each returns false for a card in a status that has no
// row in the table, and then the card is as it was: a message that comes late changes nothing.

// TakeOrder notes that the processor has the order for the card. The date is that of the first
// order: a card made anew keeps it.
func (c Card) TakeOrder(now time.Time) (Card, bool) {
	if _, possible := next(Always, c.Status, TakeOrder); !possible || !c.Requested.IsZero() {
		return c, false
	}
	c.Requested, c.Modified = now, now
	return c, true
}

// Ship notes that the processor has sent the card to its holder.
func (c Card) Ship(now time.Time) (Card, bool) { return c.step(Ship, now) }

// Refuse notes that the processor will not make the card.
func (c Card) Refuse(now time.Time) (Card, bool) { return c.step(Refuse, now) }

// RunOut notes that nobody has verified the card in time.
func (c Card) RunOut(now time.Time) (Card, bool) { return c.step(RunOut, now) }

func (c Card) step(act Act, now time.Time) (Card, bool) {
	to, possible := next(Always, c.Status, act)
	if !possible {
		return c, false
	}
	return c.become(to, now), true
}
