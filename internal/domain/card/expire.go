package card

import "time"

// ExpireUnverified expires a card that was not verified within the window of its program. Like an
// act of the processor, it leaves a card in any other status unchanged and returns false.
func (c Card) ExpireUnverified(now time.Time) (Card, bool) { return c.step(ExpireUnverified, now) }
