package card

import (
	"strconv"
	"time"
)

// erasedName is printed on no card: the card of such a name is over.
const erasedName = "ERASED"

// IsOver reports whether the card can neither be used nor reissued, so that its personal data may be
// erased. One that is Expired can be reissued.
func (c Card) IsOver() bool {
	switch c.Status {
	case Archived, Denied, Reissued:
		return true
	}
	return false
}

// WithoutPeople returns the card without personal data: without the name on it, and with a unique
// text in place of the nickname.
func (c Card) WithoutPeople(now time.Time) Card {
	erased := c
	erased.Name = Name{Last: erasedName}
	erased.NickName = "erased " + strconv.Itoa(c.ID)
	if !erased.Equal(&c) {
		erased.Modified = now
	}
	return erased
}
