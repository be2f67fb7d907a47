package card

import (
	"time"

	"mintmark/internal/fault"
)

// AdmitReissue returns the fault that keeps the customer from having the card reissued, or nil:
// 153002, 153003, and 150402 for a card that the system has locked.
func (c Card) AdmitReissue(mode Mode, act Act, customerID int) error {
	if err := c.admitIn(mode, act, customerID); err != nil {
		return err
	}
	if c.Lock.Type == System {
		return fault.New(fault.LockedBySystem, c.ID)
	}
	return nil
}

// ReissueAs returns what a reissue does to this card, and for which reason. A card that is locked
// for ever has a dead number: called damaged, it is replaced for the reason of its lock.
func (c Card) ReissueAs(act Act, reason Reason) (Act, Reason) {
	if act == Renew && c.Lock.Permanent() {
		return Replace, c.Lock.Reason
	}
	return act, reason
}

// Renew makes a damaged card anew: the number stays, and so does the lock. It must be admitted
// first.
func (c Card) Renew(mode Mode, qualifier string, now time.Time) Card {
	to, _ := next(mode, c.Status, Renew)
	if to != c.Status {
		c = c.become(to, now)
	}
	if qualifier != "" {
		c.Qualifier = qualifier
	}
	c.Reissued, c.Modified = now, now
	return c
}

// Replace gives the holder another card for one that is lost, stolen or misused. The old card is
// Reissued and locked for ever; the new one, whose number the caller has to choose, takes over
// names, accounts and tag, so that the caller's key keeps finding the live card. It must be
// admitted first.
func (c Card) Replace(
	mode Mode, reason Reason, qualifier string, validMonths int, now time.Time,
) (old, replacement Card) {
	old = c.become(Reissued, now)
	old.Tag = ""
	if !old.Lock.Permanent() {
		old.Lock = Lock{Customer, reason}
	}

	replacement = Card{
		ProgramID: c.ProgramID, CustomerID: c.CustomerID, HolderID: c.HolderID,
		Type: c.Type, Vendor: c.Vendor, BinID: c.BinID, DigitalOnly: c.DigitalOnly,
		Lock: unlocked,
		Tag:  c.Tag, NickName: c.NickName, Name: c.Name, Qualifier: c.Qualifier,
		Slots: c.Slots.clone(), PrimaryCategory: c.PrimaryCategory,
		Created: now,
	}
	if qualifier != "" {
		replacement.Qualifier = qualifier
	}
	replacement = replacement.become(c.replacementStatus(mode), now)
	return old, replacement.validFor(validMonths, now)
}

// replacementStatus is the status in which the card's replacement begins its life. The sandbox
// hands out a usable one for a card that was usable or had expired (section 3.1).
func (c Card) replacementStatus(mode Mode) Status {
	pending := c.Status == PendingVerification || c.Status == ReissuePendingVerification
	if c.DigitalOnly || mode == Sandbox && !pending {
		return Verified
	}
	return ReissuePendingVerification
}
