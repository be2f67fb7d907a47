package card

import (
	"cmp"
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// LockType is the party that locked a card (interface §6.3).
type LockType string

// The lock types.
const (
	Unlocked LockType = "UNL"
	Customer LockType = "CST"
	System   LockType = "SYS"
)

// Reason is the reason for a lock.
type Reason string

// The lock reasons.
const (
	Unknown        Reason = "UNK"
	SuspectedFraud Reason = "FRD"
	Damaged        Reason = "DMG"
	Administrative Reason = "ADM"
	Temporary      Reason = "TMP"
	Lost           Reason = "LST"
	Stolen         Reason = "STL"
	PinRetries     Reason = "PIN"
)

// Reasons lists every lock reason, in the order of the interface.
var Reasons = []Reason{
	Unknown, SuspectedFraud, Damaged, Administrative, Temporary, Lost, Stolen, PinRetries,
}

var reasonWords = map[Reason]string{
	Unknown: "for an unknown reason", SuspectedFraud: "suspected fraud", Damaged: "damaged",
	Administrative: "administrative", Temporary: "temporary", Lost: "lost", Stolen: "stolen",
	PinRetries: "PIN tries exceeded",
}

// Words returns the reason in words.
func (r Reason) Words() string { return cmp.Or(reasonWords[r], string(r)) }

// Lock is the lock of a card: who locked it, and why. An unlocked card has the reason UNK.
type Lock struct {
	Type   LockType `json:"typeCode"`
	Reason Reason   `json:"reasonTypeCode"`
}

var unlocked = Lock{Unlocked, Unknown}

// locks returns every lock that a card can have. Only the system locks for exceeded PIN tries.
func locks() []Lock {
	all := []Lock{unlocked}
	for _, reason := range Reasons {
		if reason != PinRetries {
			all = append(all, Lock{Customer, reason})
		}
	}
	for _, reason := range Reasons {
		all = append(all, Lock{System, reason})
	}
	return all
}

// Permanent reports whether the lock can never be cleared: lost, stolen or suspected fraud, for
// either lock type.
func (l Lock) Permanent() bool {
	return l.Type != Unlocked && l.Reason.Permanent()
}

// Permanent reports whether a lock for the reason can never be cleared.
func (r Reason) Permanent() bool {
	return r == Lost || r == Stolen || r == SuspectedFraud
}

// parseReason parses one of the eight reason codes, ignoring case.
func parseReason(text string) (Reason, bool) {
	for _, reason := range Reasons {
		if strings.EqualFold(text, string(reason)) {
			return reason, true
		}
	}
	return "", false
}

// LockReason parses the reason of /card/lock. Faults: LockReasonRequired for an empty string and
// for PIN, which only the system may use; LockReasonInvalid for an unknown code; UseHotlist for LST
// and STL.
func LockReason(text string) (Reason, error) {
	if text == "" {
		return "", fault.New(fault.LockReasonRequired)
	}
	reason, known := parseReason(text)
	if !known {
		return "", fault.New(fault.LockReasonInvalid, text)
	}
	switch reason {
	case Lost, Stolen:
		return "", fault.New(fault.UseHotlist)
	case PinRetries:
		return "", fault.New(fault.LockReasonRequired)
	}
	return reason, nil
}

// HotlistReason parses the reason of /card/hotlist. Faults: fault.HotlistReason for an empty string
// and for a reason that is not permanent; LockReasonInvalid for an unknown code.
func HotlistReason(text string) (Reason, error) {
	if text == "" {
		return "", fault.New(fault.HotlistReason)
	}
	reason, known := parseReason(text)
	if !known {
		return "", fault.New(fault.LockReasonInvalid, text)
	}
	if !reason.Permanent() {
		return "", fault.New(fault.HotlistReason)
	}
	return reason, nil
}

// LockByCustomer locks the card for a customer. It leaves a permanent lock unchanged and replaces
// any other lock of a customer. Locking the card again for the same reason changes nothing. The
// fault is LockedBySystem.
func (c Card) LockByCustomer(reason Reason, now time.Time) (Card, error) {
	if c.Lock.Type == System {
		return Card{}, fault.New(fault.LockedBySystem, c.ID)
	}
	if c.Lock.Permanent() || c.Lock == (Lock{Customer, reason}) {
		return c, nil
	}
	c.Lock, c.Modified = Lock{Customer, reason}, now
	return c, nil
}

// SystemReasons lists the reasons for which the system locks a card. Operators use all of them, the
// processor only PinRetries and SuspectedFraud.
var SystemReasons = []Reason{Administrative, PinRetries, SuspectedFraud, Lost, Stolen}

// LockBySystem locks the card for an operator or the processor. It leaves a permanent lock
// unchanged, even one of a customer: the card number is already dead, and the customer may have the
// card replaced. An administrative lock outranks one for PIN tries, so that clearing the latter
// does not clear the former. Any other lock is replaced.
func (c Card) LockBySystem(reason Reason, now time.Time) Card {
	graver := c.Lock == Lock{System, Administrative} && reason == PinRetries
	if c.Lock.Permanent() || graver || c.Lock == (Lock{System, reason}) {
		return c
	}
	c.Lock, c.Modified = Lock{System, reason}, now
	return c
}

// UnlockBySystem clears any lock that is not permanent, for an operator. The fault is
// UnlockPermanent.
func (c Card) UnlockBySystem(now time.Time) (Card, error) {
	if c.Lock.Permanent() {
		return Card{}, fault.New(fault.UnlockPermanent, c.ID)
	}
	return c.unlocked(now), nil
}

// UnlockByCustomer clears a customer's lock that is not permanent. Faults in order:
// UnlockPermanent, UnlockSystem.
func (c Card) UnlockByCustomer(now time.Time) (Card, error) {
	if c.Lock.Permanent() {
		return Card{}, fault.New(fault.UnlockPermanent, c.ID)
	}
	if c.Lock.Type == System {
		return Card{}, fault.New(fault.UnlockSystem, c.ID)
	}
	return c.unlocked(now), nil
}

// unlocked returns the card without a lock.
func (c Card) unlocked(now time.Time) Card {
	if c.Lock != unlocked {
		c.Lock, c.Modified = unlocked, now
	}
	return c
}
