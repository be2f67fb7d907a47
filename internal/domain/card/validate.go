package card

import (
	"time"

	"mintmark/internal/base/problem"
)

// Validate returns the problems of a card from another system that an operator wants to store:
// those of the members, then those of a lock and dates that no card's life could produce. The
// vendor and the expiry follow from the BIN; the accounts have separate rules.
func (c Card) Validate() problem.List {
	problems := problem.Check(c)
	if len(problems) > 0 {
		return problems
	}
	c.checkLock(&problems)
	c.checkDates(&problems)
	if !c.Name.printsLetter() {
		problems.Add("firstName", "the printed name, cut to %d characters, must hold a letter A to Z",
			MaxNameOnCard)
	}
	return problems
}

func (c Card) checkLock(problems *problem.List) {
	switch {
	case c.Lock.Type == Unlocked && c.Lock.Reason != Unknown:
		problems.Add("lockReasonTypeCode", "must be %s while lockTypeCode is %s", Unknown, Unlocked)
	case c.Lock.Type == Customer && c.Lock.Reason == PinRetries:
		problems.Add("lockReasonTypeCode", "%s is a reason of the system only", PinRetries)
	}
}

// maxAhead is how far the dates of a card from another system may be ahead of the clock.
const maxAhead = 5 * time.Minute

// CheckPast returns a problem for each date of the card's life that is in the future.
func (c Card) CheckPast(now time.Time) problem.List {
	var problems problem.List
	latest := now.Add(maxAhead)
	if c.Created.After(latest) {
		problems.Add("createdDate", "lies in the future")
	}
	if c.Verified.After(latest) {
		problems.Add("verifiedDate", "lies in the future")
	}
	return problems
}

func (c Card) checkDates(problems *problem.List) {
	for _, date := range c.dates() {
		switch {
		case date.at.IsZero():
			if date.of == c.Status {
				problems.Add(date.name, "a value is required for a card that is %s", c.Status)
			}
		case date.at.Before(c.Created):
			problems.Add(date.name, "lies before createdDate")
		case date.final && c.Status != date.of && c.Status != Archived:
			problems.Add(date.name, "cannot be set for a card that is %s", c.Status)
		}
	}
}

// date is a date in the life of a card, with the status that began on it, if any. A card with a
// final status can only be archived.
type date struct {
	name  string
	at    time.Time
	of    Status
	final bool
}

func (c Card) dates() []date {
	return []date{
		{"requestedDate", c.Requested, "", false},
		{"verifiedDate", c.Verified, Verified, false},
		{"reissuedDate", c.Reissued, Reissued, false},
		{"deniedDate", c.Denied, Denied, true},
		{"expiredDate", c.Expired, Expired, false},
		{"archivedDate", c.Archived, Archived, true},
	}
}

// LastDated returns the latest date of the card's life. For a card from another system this is the
// best known time of its last change.
func (c Card) LastDated() time.Time {
	last := c.Created
	for _, date := range c.dates() {
		if date.at.After(last) {
			last = date.at
		}
	}
	return last
}

// IssuedUnder returns the card with the vendor of a BIN, and with the expiry that a card of the BIN
// gets in the time zone of its program.
func (c Card) IssuedUnder(vendor string, validMonths int, zone *time.Location) Card {
	c.Vendor = vendor
	return c.validFor(validMonths, c.Created.In(zone))
}
