package card

import (
	"slices"
	"time"

	"mintmark/internal/domain/fault"
)

// ReissueReasons lists the reasons of a reissue, in the order of the interface.
var ReissueReasons = []Reason{Lost, Stolen, SuspectedFraud, Damaged}

// CheckReissue makes the checks of a reissue that need only the request, and returns the act that
// follows from the reason. The faults are fault.ReissueReason, and fault.ValueNotAcceptable on
// qualifierCode.
func CheckReissue(reasonCode, qualifierCode string) (Act, Reason, error) {
	var list findings
	act := ReissueNewPAN
	reason, _ := parseReason(reasonCode)
	switch {
	case !slices.Contains(ReissueReasons, reason):
		list.add("reissueReasonTypeCode", fault.ReissueReason, reasonCode)
	case reason == Damaged:
		act = ReissueSamePAN
	}
	list.attributes(Attributes{QualifierCode: qualifierCode})
	return act, reason, list.faults.Err()
}

// CheckReissuable returns the fault that prevents a reissue of a card whose status allows it, or
// nil. The fault is LockedBySystem.
func (c Card) CheckReissuable() error {
	if c.Lock.Type == System {
		return fault.New(fault.LockedBySystem, c.ID)
	}
	return nil
}

// ReissueAs returns the act and the reason with which this card is reissued. A card with a
// permanent lock has a dead number: if it is reported as damaged, it is replaced for the reason of
// its lock. Both acts are allowed in the same statuses.
func (c Card) ReissueAs(act Act, reason Reason) (Act, Reason) {
	if act == ReissueSamePAN && c.Lock.Permanent() {
		return ReissueNewPAN, c.Lock.Reason
	}
	return act, reason
}

// ReissueSamePAN remakes a damaged card, which keeps its number and its lock.
func (c Card) ReissueSamePAN(mode Mode, qualifier string, now time.Time) Card {
	to, _ := next(mode, c.Status, ReissueSamePAN)
	if to != c.Status {
		c = c.withStatus(to, now)
	}
	if qualifier != "" {
		c.QualifierCode = qualifier
	}
	c.Reissued, c.Modified = now, now
	return c
}

// ReissueNewPAN replaces a card that is lost, stolen or misused. The old card is Reissued and
// permanently locked. The replacement, whose number is chosen later, takes over names, accounts and
// tag, so that the caller's key keeps finding the live card. The replacement links to the old card;
// the link back is set once the replacement's ID is known.
func (c Card) ReissueNewPAN(
	mode Mode, reason Reason, qualifier string, validMonths int, now time.Time,
) (old, replacement Card) {
	var none time.Time // the replacement has no history
	old = c.withStatus(Reissued, now)
	old.Tag = ""
	if !old.Lock.Permanent() {
		old.Lock = Lock{Customer, reason}
	}

	replacement = c
	replacement.ID, replacement.Revision, replacement.Orders, replacement.LastFour = 0, 0, 0, ""
	replacement.Replaces, replacement.ReplacedBy = c.ID, 0
	replacement.Lock, replacement.Slots = unlocked, c.Slots.clone()
	replacement.Created, replacement.Requested, replacement.Shipped = now, none, none
	replacement.Verified, replacement.Reissued = none, none
	replacement.Denied, replacement.Expired = none, none
	if qualifier != "" {
		replacement.QualifierCode = qualifier
	}
	replacement = replacement.withStatus(c.replacementStatus(mode), now)
	return old, replacement.validFor(validMonths, now)
}

// replacementStatus returns the initial status of the card's replacement. The sandbox issues a
// usable one for a card that was usable or had expired (interface §6.5).
func (c Card) replacementStatus(mode Mode) Status {
	pending := c.Status == PendingVerification || c.Status == ReissuePendingVerification
	if c.DigitalOnly || mode == Sandbox && !pending {
		return Verified
	}
	return ReissuePendingVerification
}
