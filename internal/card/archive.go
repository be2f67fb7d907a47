package card

import "time"

// ArchiveBy puts the card away for ever (section 4.2, /card/archive). Faults: 153101, 153102.
func (c Card) ArchiveBy(customerID int, now time.Time) (Card, error) {
	if err := c.admit(Archive, customerID); err != nil {
		return Card{}, err
	}
	return c.become(Archived, now), nil
}
