package card

import "time"

// Archive puts the card away for ever (section 4.2, /card/archive).
func (c Card) Archive(now time.Time) Card { return c.withStatus(Archived, now) }
