// Package card holds the rules of a payment card: its statuses and locks, the accounts it draws on,
// and each act of interface §8 as a pure function from a card to a card. It uses no clock, no
// database and no HTTP: the time is an argument, and package issuing passes in what an act needs to
// know of customers and accounts.
//
// Two checks come before the rule of an act, both in transitions.go: whether the card belongs to
// the customer, for callers only, and whether its status allows the act. The rules of the acts rely
// on these checks.
package card

import (
	"strings"
	"time"

	"mintmark/internal/base/pan"
)

// Card is a payment card. It does not contain the full card number, which the vault stores.
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

	Tag      string // the caller's own key; empty if none
	NickName string
	Name     Name
	Attributes

	LastFour    string // of the card number
	ExpireMonth int    // 1 to 12
	ExpireYear  int    // four digits
	DigitalOnly bool

	// Slots holds the accounts in order of priority. PrimaryCategory is the category whose first
	// slot is the primary account, used if a request names none.
	Slots           Slots
	PrimaryCategory Category

	Created   time.Time
	Requested time.Time // the processor received the first order; zero before
	Shipped   time.Time // the processor last sent the card to its holder; zero before
	Verified  time.Time // became Verified
	Reissued  time.Time // was replaced or remade
	Denied    time.Time
	Expired   time.Time
	Archived  time.Time
	Modified  time.Time

	// Replaces is the card that this one replaces, ReplacedBy the card that replaces it; 0 for
	// none.
	Replaces, ReplacedBy int

	// Orders is the number of orders to the processor written for the card: the sequence of the
	// latest. It is negative if the previous version of Mintmark has since written orders without a
	// sequence: see NumberedOrders.
	Orders int

	// Revision counts the changes of the stored card. The store rejects a change based on an older
	// revision.
	Revision int
}

// UnknownOrders marks an unknown number of orders.
const UnknownOrders = -1

// NumberedOrders returns the number of orders of the card that have a sequence, even if later ones
// have none.
func (c Card) NumberedOrders() int {
	if c.Orders < 0 {
		return UnknownOrders - c.Orders
	}
	return c.Orders
}

// PrimaryAccount returns the account used if a request names none: the first slot of the primary
// category.
func (c Card) PrimaryAccount() int {
	accounts := c.Slots.Of(c.PrimaryCategory)
	if len(accounts) == 0 {
		return 0
	}
	return accounts[0]
}

// NumberMasked returns the masked card number (interface §5.1). It shows the last four digits once
// the card is verified.
func (c Card) NumberMasked() string { return pan.Masked(c.LastFour, !c.Verified.IsZero()) }

// Equal reports whether two cards are equal in every field.
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

// withStatus returns the card with a status and the date of that status set.
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

// NickKey returns the key under which nicknames are unique for a customer, ignoring case. Databases
// disagree on the lower case of letters beyond ASCII, so Mintmark computes the key.
func NickKey(nickName string) string { return strings.ToLower(nickName) }
