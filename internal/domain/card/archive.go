package card

import "time"

// Archive puts the card away for ever (interface §8.13).
func (c Card) Archive(now time.Time) Card { return c.withStatus(Archived, now) }
