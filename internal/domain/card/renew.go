package card

import "time"

// RenewalDays is how many days before the end of its last month a card is renewed, so that the next
// one arrives in time.
const RenewalDays = 45

// Month is a month of the calendar, such as the last one in which a card can be used.
type Month struct {
	Year, Month int
}

// add returns the month that is so many months later.
func (m Month) add(months int) Month {
	last := m.Year*12 + m.Month - 1 + months
	return Month{last / 12, last%12 + 1}
}

// end is the first moment after the month in a time zone.
func (m Month) end(zone *time.Location) time.Time {
	return time.Date(m.Year, time.Month(m.Month)+1, 1, 0, 0, 0, 0, zone)
}

// LastMonth is the month at whose end the card expires.
func (c Card) LastMonth() Month { return Month{c.ExpireYear, c.ExpireMonth} }

// renewalDue reports whether cards of this last month are to be renewed now, a time in the zone of
// the program. Once the month is over it is too late: the card has expired.
func (m Month) renewalDue(now time.Time) bool {
	zone := now.Location()
	return !now.Before(m.RenewalFrom(zone)) && now.Before(m.end(zone))
}

// RenewalFrom is the moment from which on cards of this last month are to be renewed, in the zone
// of their program.
func (m Month) RenewalFrom(zone *time.Location) time.Time {
	return m.end(zone).AddDate(0, 0, -RenewalDays)
}

// RenewalMonths returns the months whose cards are to be renewed now, a time in the zone of the
// program: always the current one, and the next one from the middle of this on.
func RenewalMonths(now time.Time) []Month {
	current := Month{now.Year(), int(now.Month())}
	months := []Month{current}
	if next := current.add(1); next.renewalDue(now) {
		months = append(months, next)
	}
	return months
}

// Renew makes a card that is about to expire anew: the number, the lock and all dates stay, and the
// expiry moves on by the months that a card of its BIN is valid. Now is a time in the zone of the
// program. A card in another status, or one that is not about to expire, stays as it was, and so
// does one that must not be sent out: locked by the system, or with a lock that can never be
// undone.
func (c Card) Renew(validMonths int, now time.Time) (Card, bool) {
	barred := c.Lock.Type == System || c.Lock.Permanent()
	if !c.Allows(Renew, Always) || barred || validMonths <= 0 || !c.LastMonth().renewalDue(now) {
		return c, false
	}
	next := c.LastMonth().add(validMonths)
	c.ExpireYear, c.ExpireMonth, c.Modified = next.Year, next.Month, now
	return c, true
}

// RenewExpired gives a card whose last month is over the expiry of a new one. Now is a time in the zone
// of the program.
func (c Card) RenewExpired(validMonths int, now time.Time) Card {
	if validMonths <= 0 || now.Before(c.LastMonth().end(now.Location())) {
		return c
	}
	return c.validFor(validMonths, now)
}
