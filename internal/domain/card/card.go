// Package card holds the rules of a payment card: its statuses and locks, the accounts it draws
// on, and each act of interface §8 as a pure function from a card to a card. It knows no clock, no
// database and no HTTP: the time is an argument, and what an act needs to know of customers and
// accounts is handed in by package issuing.
//
// Two questions come before the rule of an act, and transitions.go answers both: whether the card
// is the customer's, which concerns callers only, and whether its status allows the act. The rules
// of the acts rely on the answers.
package card

import (
	"strings"
	"time"

	"mintmark/internal/base/pan"
)

// Card is a payment card. The whole number is not part of it: the vault keeps that.
type Card struct {
	ID         int
	ProgramID  int
	CustomerID int // the creator
	HolderID   int // the customer who normally holds it

	Type   string // DBT or CDT
	Vendor string // VS or MC
	BinID  int

	Status Status
	Lock   Lock

	Tag      string // the caller's key; empty when none
	NickName string
	Name     Name
	Attributes

	LastFour    string // last four digits of the number
	ExpireMonth int    // 1 to 12
	ExpireYear  int    // four digits
	DigitalOnly bool

	// Slots are the accounts in their order; PrimaryCategory says whose first slot is the
	// account used when a request names none.
	Slots           Slots
	PrimaryCategory Category

	Created   time.Time
	Requested time.Time // the order went to the processor; zero before
	Shipped   time.Time // the processor sent the card to its holder, the last time; zero before
	Verified  time.Time // became Verified
	Reissued  time.Time // was replaced or made anew
	Denied    time.Time
	Expired   time.Time
	Archived  time.Time
	Modified  time.Time

	// Replaces is the card that this one was made for, ReplacedBy the one that was made for it; 0
	// for none.
	Replaces, ReplacedBy int

	// Orders is how many orders to the processor were written about the card: the sequence of the
	// latest. It is less than 0 where the previous version has written orders without a sequence
	// behind these: see NumberedOrders.
	Orders int

	// Revision counts the changes of the stored card. The store refuses a change that was made
	// to an older one.
	Revision int
}

// UnknownOrders stands for a number of orders that nobody has counted.
const UnknownOrders = -1

// NumberedOrders is how many orders of the card have a sequence, also when others have none.
func (c Card) NumberedOrders() int {
	if c.Orders < 0 {
		return UnknownOrders - c.Orders
	}
	return c.Orders
}

// PrimaryAccount returns the account used when a request names none: the first slot of the
// primary category.
func (c Card) PrimaryAccount() int {
	accounts := c.Slots.Of(c.PrimaryCategory)
	if len(accounts) == 0 {
		return 0
	}
	return accounts[0]
}

// NumberMasked returns the masked number (interface §5.1). It shows the last four digits from the
// moment the card was verified.
func (c Card) NumberMasked() string { return pan.Masked(c.LastFour, !c.Verified.IsZero()) }

// Equal reports whether two cards are the same in every field.
func (c *Card) Equal(other *Card) bool {
	return c.ID == other.ID && c.ProgramID == other.ProgramID &&
		c.CustomerID == other.CustomerID && c.HolderID == other.HolderID &&
		c.Type == other.Type && c.Vendor == other.Vendor && c.BinID == other.BinID &&
		c.Status == other.Status && c.Lock == other.Lock &&
		c.Tag == other.Tag && c.NickName == other.NickName && c.Name == other.Name &&
		c.Attributes == other.Attributes && c.LastFour == other.LastFour &&
		c.ExpireMonth == other.ExpireMonth && c.ExpireYear == other.ExpireYear &&
		c.DigitalOnly == other.DigitalOnly && c.PrimaryCategory == other.PrimaryCategory &&
		c.Slots.Equal(other.Slots) && c.Replaces == other.Replaces &&
		c.ReplacedBy == other.ReplacedBy && c.Orders == other.Orders &&
		c.Revision == other.Revision && c.sameTimes(other)
}

func (c *Card) sameTimes(other *Card) bool {
	return c.Created.Equal(other.Created) && c.Requested.Equal(other.Requested) &&
		c.Shipped.Equal(other.Shipped) && c.Verified.Equal(other.Verified) &&
		c.Reissued.Equal(other.Reissued) && c.Denied.Equal(other.Denied) &&
		c.Expired.Equal(other.Expired) && c.Archived.Equal(other.Archived) &&
		c.Modified.Equal(other.Modified)
}

// withStatus returns the card in a status, with the date that belongs to it.
func (c Card) withStatus(status Status, now time.Time) Card {
	c.Status, c.Modified = status, now
	switch status {
	case Verified:
		c.Verified = now
	case Reissued:
		c.Reissued = now
	case Denied:
		c.Denied = now
	case Expired:
		c.Expired = now
	case Archived:
		c.Archived = now
	}
	return c
}

// NickKey is what two nicknames share that differ in letter case only: a customer may not use both.
// Databases do not agree on the lower case of letters beyond ASCII, so it is made here.
func NickKey(nickName string) string { return strings.ToLower(nickName) }
