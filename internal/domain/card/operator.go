package card

import (
	"time"

	"mintmark/internal/domain/fault"
)

// Refusal is the error of an operator's act on a card that the rules do not allow. Code is the code
// that a caller would get, or 0 if a caller would be allowed the act.
type Refusal struct {
	Why  string
	Code int
}

// Error returns the reason without the code.
func (r *Refusal) Error() string { return r.Why }

// refusal returns a Refusal with the code of a fault.
func refusal(why string, kind fault.Kind) error {
	return &Refusal{why, fault.Lookup(kind).Code}
}

// LockByOperator locks the card for an operator. It returns a Refusal if the card would keep
// another lock: a permanent one, or one that outranks the new one.
func (c Card) LockByOperator(reason Reason, mode Mode, now time.Time) (Card, error) {
	if err := c.CheckOperator(LockBySystem, mode); err != nil {
		return Card{}, err
	}
	locked := c.LockBySystem(reason, now)
	if locked.Lock.Reason != reason {
		return Card{}, &Refusal{Why: "The card stays locked for " + string(c.Lock.Reason) +
			", which outranks " + string(reason) + "."}
	}
	return locked, nil
}

// UnlockByOperator clears a lock for an operator, no matter who set it.
func (c Card) UnlockByOperator(mode Mode, now time.Time) (Card, error) {
	if err := c.CheckOperator(UnlockBySystem, mode); err != nil {
		return Card{}, err
	}
	return c.UnlockBySystem(now)
}

// CheckOperator returns the Refusal that prevents operators from an act on the card, or nil. The
// acts are LockBySystem, UnlockBySystem, ReissueSamePAN, ReissueNewPAN and Archive. Operators may
// act on the cards of all customers.
func (c Card) CheckOperator(act Act, mode Mode) error {
	switch act {
	case LockBySystem:
		return c.checkLockable(mode)
	case UnlockBySystem:
		return c.checkUnlockable(mode)
	case ReissueSamePAN, ReissueNewPAN:
		return c.checkReissue(act, mode)
	case Archive:
		if !c.Allows(act, mode) {
			return refusal("A card that is "+string(c.Status)+" cannot be archived.",
				fault.ArchiveStatus)
		}
	}
	return nil
}

func (c Card) checkLockable(mode Mode) error {
	switch {
	case !c.Allows(LockBySystem, mode):
		return refusal("An archived card cannot be locked.", fault.CardAccess)
	case c.Lock.Permanent() && c.Lock.Type == System:
		return refusal("The card is locked for good.", fault.LockedBySystem)
	case c.Lock.Permanent():
		return &Refusal{Why: "The card is locked for good, by its customer."}
	}
	return nil
}

func (c Card) checkUnlockable(mode Mode) error {
	switch {
	case !c.Allows(UnlockBySystem, mode):
		return refusal("An archived card cannot be unlocked.", fault.UnlockCardInvalid)
	case c.Lock.Permanent():
		return refusal("The lock is for good: the card was lost, stolen or misused.",
			fault.UnlockPermanent)
	case c.Lock.Type == Unlocked:
		return &Refusal{Why: "The card is not locked."}
	}
	return nil
}

// checkReissue lets an operator, unlike a caller, replace a card with a permanent system lock,
// because its holder has no other way to get a usable card.
func (c Card) checkReissue(act Act, mode Mode) error {
	switch {
	case !c.Allows(act, mode):
		return refusal("A card that is "+string(c.Status)+" cannot be reissued.",
			fault.ReissueStatus)
	case c.Lock.Type == System && !c.Lock.Permanent():
		return refusal("The system has locked the card. Clear the lock first.",
			fault.LockedBySystem)
	}
	return nil
}
