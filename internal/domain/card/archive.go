package card

import "time"

// Archive archives the card permanently (interface §8.13).
func (c Card) Archive(now time.Time) Card { return c.withStatus(Archived, now) }
