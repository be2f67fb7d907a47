package card

import (
	"strconv"
	"time"
)

// erasedName replaces the name of an erased card. It is never printed, because the card is over.
const erasedName = "ERASED"

// IsOver reports whether the card can neither be used nor reissued, so that its personal data may
// be erased. An Expired card can be reissued.
func (c Card) IsOver() bool {
	switch c.Status {
	case Archived, Denied, Reissued:
		return true
	}
	return false
}

// WithoutPeople returns the card without personal data: without the name on it, and with a unique
// string in place of the nickname.
func (c Card) WithoutPeople(now time.Time) Card {
	erased := c
	erased.Name = Name{Last: erasedName}
	erased.NickName = "erased " + strconv.Itoa(c.ID)
	if !erased.Equal(&c) {
		erased.Modified = now
	}
	return erased
}
