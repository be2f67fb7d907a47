package card

import (
	"strconv"
	"time"
)

// erasedName is printed on no card: the card of such a name is over.
const erasedName = "ERASED"

// IsOver reports whether the card cannot be used any more, so that its people may be erased.
func (c Card) IsOver() bool {
	switch c.Status {
	case Archived, Denied, Expired, Reissued:
		return true
	}
	return false
}

// WithoutPeople returns the card without what says something about a person: the name on it and its
// nickname, in whose place is one that no other card has.
func (c Card) WithoutPeople(now time.Time) Card {
	erased := c
	erased.Name = Name{Last: erasedName}
	erased.NickName = "erased " + strconv.Itoa(c.ID)
	if !erased.Equal(&c) {
		erased.Modified = now
	}
	return erased
}
