package order

import (
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// ForChange returns the orders that follow from a change of a card, no matter who made it: those
// about its lock and its accounts, and the closing of a card that is archived, replaced or denied.
// The orders to make or remake a card or to change its PIN follow from the act instead.
func ForChange(before, after card.Card) []Kind {
	var kinds []Kind
	if before.Lock != after.Lock {
		kinds = append(kinds, ForLock(after.Lock))
	}
	if before.Status != after.Status && closed(after.Status) {
		return append(kinds, Close)
	}
	if before.PrimaryAccount() != after.PrimaryAccount() || !before.Slots.Equal(after.Slots) {
		kinds = append(kinds, SetAccounts)
	}
	return kinds
}

// ForLock returns the order that brings a card's lock to the processor.
func ForLock(l card.Lock) Kind {
	switch {
	case l.Type == card.Unlocked:
		return Unlock
	case l.Permanent():
		return Hotlist
	}
	return Lock
}

func closed(s card.Status) bool {
	return s == card.Archived || s == card.Reissued || s == card.Denied
}

// SnapshotFor returns the snapshot of a card for an order of a kind. A new card is sent to the
// creator.
func SnapshotFor(kind Kind, c card.Card, creator customer.Customer) Snapshot {
	s := Snapshot{
		Status:       string(c.Status),
		LockTypeCode: string(c.Lock.Type), LockReasonTypeCode: string(c.Lock.Reason),
	}
	switch kind {
	case Make:
		s.Replaces = linkTo(c.Replaces)
	case Close:
		s.ReplacedBy = linkTo(c.ReplacedBy)
	}
	if kind == Make || kind == Remake || kind == SetAccounts {
		s.Accounts = &Accounts{
			PrimaryAccountID: c.PrimaryAccount(),
			Checking:         c.Slots.Checking, Savings: c.Slots.Savings,
		}
	}
	if kind != Make && kind != Remake {
		return s
	}
	s.TypeCode, s.VendorTypeCode, s.BinID = c.Type, c.Vendor, c.BinID
	s.CustomerID, s.HolderID = c.CustomerID, c.HolderID
	s.NameOnCard, s.QualifierCode = c.Name.OnCard(), c.QualifierCode
	s.DigitalOnly, s.LastFour = c.DigitalOnly, c.LastFour
	if !c.DigitalOnly {
		s.ShipTo = &Recipient{
			FirstName: creator.FirstName, LastName: creator.LastName, Address: creator.Mailing,
		}
		if creator.Mailing == (customer.Address{}) {
			s.ShipTo.Address = creator.Residence
		}
	}
	return s
}

func linkTo(cardID int) *CardLink {
	if cardID == 0 {
		return nil
	}
	return &CardLink{cardID}
}
