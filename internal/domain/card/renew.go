package card

import "time"

// RenewalDays is how many days before the end of its last month a card is renewed, so that its
// successor arrives in time.
const RenewalDays = 45

// Month is a calendar month, such as the last one in which a card can be used.
type Month struct {
	Year, Month int
}

// add returns the month that is months later.
func (m Month) add(months int) Month {
	last := m.Year*12 + m.Month - 1 + months
	return Month{last / 12, last%12 + 1}
}

// end returns the first instant after the month in a time zone.
func (m Month) end(zone *time.Location) time.Time {
	return time.Date(m.Year, time.Month(m.Month)+1, 1, 0, 0, 0, 0, zone)
}

// LastMonth returns the month at whose end the card expires.
func (c Card) LastMonth() Month { return Month{c.ExpireYear, c.ExpireMonth} }

// renewalDue reports whether cards with this last month are due for renewal. now is in the time
// zone of the program. After the end of the month it is too late: the card has expired.
func (m Month) renewalDue(now time.Time) bool {
	zone := now.Location()
	return !now.Before(m.RenewalFrom(zone)) && now.Before(m.end(zone))
}

// RenewalFrom returns the time from which cards with this last month are due for renewal, in the
// time zone of their program.
func (m Month) RenewalFrom(zone *time.Location) time.Time {
	return m.end(zone).AddDate(0, 0, -RenewalDays)
}

// RenewalMonths returns the last months of the cards that are due for renewal: always the current
// month, and from the middle of it the next one too. now is in the time zone of the program.
func RenewalMonths(now time.Time) []Month {
	current := Month{now.Year(), int(now.Month())}
	months := []Month{current}
	if next := current.add(1); next.renewalDue(now) {
		months = append(months, next)
	}
	return months
}

// Renew remakes a card that is about to expire: the number, the lock and all dates stay the same,
// and the expiry moves by the months that a card of its BIN is valid. now is in the time zone of
// the program. Renew leaves a card in another status, or one that is not about to expire,
// unchanged. It also leaves a card unchanged that must not be sent out: one locked by the system or
// permanently.
func (c Card) Renew(validMonths int, now time.Time) (Card, bool) {
	barred := c.Lock.Type == System || c.Lock.Permanent()
	if !c.Allows(Renew, Always) || barred || validMonths <= 0 || !c.LastMonth().renewalDue(now) {
		return c, false
	}
	next := c.LastMonth().add(validMonths)
	c.ExpireYear, c.ExpireMonth, c.Modified = next.Year, next.Month, now
	return c, true
}

// RenewExpired gives a card whose last month is over the expiry of a new card. now is in the time
// zone of the program.
func (c Card) RenewExpired(validMonths int, now time.Time) Card {
	if validMonths <= 0 || now.Before(c.LastMonth().end(now.Location())) {
		return c
	}
	return c.validFor(validMonths, now)
}
