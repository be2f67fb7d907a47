// Package card holds the rules of a payment card: its statuses and locks, the accounts it draws
// on, and each act of section 4.2 as a pure function from a card to a card. It knows no clock, no
// database and no HTTP: the time is an argument, and what an act needs to know of customers and
// accounts is handed in by package issuing.
//
// Which act is possible in which status stands in one table, transitions.go.
package card

import (
	"time"

	"mintmark/internal/pan"
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

	Tag       string // the caller's key; empty when none
	NickName  string
	Name      Name
	Qualifier string // the processor's qualifier; empty when none

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
	Verified  time.Time // became Verified
	Reissued  time.Time // was replaced or made anew
	Denied    time.Time
	Expired   time.Time
	Archived  time.Time
	Modified  time.Time

	// Revision counts the changes of the stored card. The store refuses a change that was made
	// to an older one.
	Revision int
}

// BelongsTo reports whether a customer is the creator or the holder of the card.
func (c Card) BelongsTo(customerID int) bool {
	return c.CustomerID == customerID || c.HolderID == customerID
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

// NumberMasked returns the masked number (section 2.5). It shows the last four digits from the
// moment the card was verified.
func (c Card) NumberMasked() string { return pan.Masked(c.LastFour, !c.Verified.IsZero()) }

// Order is what a new card is made of, already checked.
type Order struct {
	ProgramID   int
	CustomerID  int
	HolderID    int
	Type        string
	Vendor      string
	BinID       int
	ValidMonths int
	Tag         string
	NickName    string
	Name        Name
	Qualifier   string
	Category    Category // of the primary account
	AccountID   int      // the primary account
}

// Initiate returns a new card that waits for the processor (section 4.2, /card/initiate).
func Initiate(o Order, now time.Time) Card {
	c := Card{
		ProgramID: o.ProgramID, CustomerID: o.CustomerID, HolderID: o.HolderID,
		Type: o.Type, Vendor: o.Vendor, BinID: o.BinID,
		Status: Initiated, Lock: unlocked,
		Tag: o.Tag, NickName: o.NickName, Name: o.Name, Qualifier: o.Qualifier,
		Slots: Slots{}.with(o.Category, []int{o.AccountID}), PrimaryCategory: o.Category,
		Created: now, Modified: now,
	}
	return c.validFor(o.ValidMonths, now)
}

// CreateDigital returns a new card that is usable at once and never printed (section 4.2,
// /card/createdigital).
func CreateDigital(o Order, now time.Time) Card {
	c := Initiate(o, now)
	c.DigitalOnly = true
	return c.become(Verified, now)
}

// validFor sets the expiry: the same month, so many months on.
func (c Card) validFor(months int, now time.Time) Card {
	year, month, _ := now.Date()
	last := int(month) - 1 + months
	c.ExpireYear, c.ExpireMonth = year+last/12, last%12+1
	return c
}

// become moves the card to a status and sets the date that belongs to it.
func (c Card) become(status Status, now time.Time) Card {
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
