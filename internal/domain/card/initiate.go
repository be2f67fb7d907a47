package card

import "time"

// Issuance holds the checked properties of a new card.
type Issuance struct {
	Application
	ProgramID   int
	CustomerID  int
	HolderID    int
	BinID       int
	ValidMonths int
	Category    Category // of the primary account
}

// Initiate returns a new card that waits for the processor (interface §8.5).
func Initiate(o Issuance, now time.Time) Card {
	c := Card{
		ProgramID: o.ProgramID, CustomerID: o.CustomerID, HolderID: o.HolderID,
		Type: o.Type(), Vendor: o.Vendor(), BinID: o.BinID,
		Status: Initiated, Lock: unlocked,
		Tag: o.Tag, NickName: o.NickName, Name: o.Name(), Attributes: o.Attributes,
		Slots: Slots{}.with(o.Category, []int{o.PrimaryAccountID}), PrimaryCategory: o.Category,
		Created: now, Modified: now,
	}
	return c.validFor(o.ValidMonths, now)
}

// CreateDigital returns a new card that is usable immediately and never printed (interface §8.6).
func CreateDigital(o Issuance, now time.Time) Card {
	c := Initiate(o, now)
	c.DigitalOnly = true
	return c.withStatus(Verified, now)
}

// validFor sets the expiry to months months from now.
func (c Card) validFor(months int, now time.Time) Card {
	year, month, _ := now.Date()
	last := int(month) - 1 + months
	c.ExpireYear, c.ExpireMonth = year+last/12, last%12+1
	return c
}
