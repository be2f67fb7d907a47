package card

import (
	"slices"

	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
)

// Act is an act on a card by a customer, an operator, the processor or the passage of time.
type Act string

// The acts of customers are named after their routes. A reissue is one of two acts: for the reason
// DMG the card is remade with the same number; for LST, STL or FRD another card with another number
// replaces it.
const (
	Verify         Act = "verify"
	LockCard       Act = "lock"
	Unlock         Act = "unlock"
	Hotlist        Act = "hotlist"
	ReissueSamePAN Act = "reissue (DMG)"
	ReissueNewPAN  Act = "reissue (LST, STL, FRD)"
	Archive        Act = "archive"
	AddAccount     Act = "addAccount"
	RemoveAccount  Act = "removeAccount"
	Reprioritize   Act = "reprioritizeAccount"
	ResetPin       Act = "resetpin"

	TakeOrder        Act = "processor takes the order"
	Ship             Act = "processor ships"
	Deliver          Act = "processor delivers"
	Return           Act = "card comes back"
	Refuse           Act = "processor refuses"
	RefuseToMake     Act = "processor refuses the order to make the card"
	SetPin           Act = "processor sets the PIN"
	LockBySystem     Act = "system locks"
	UnlockBySystem   Act = "system unlocks"
	ExpireUnverified Act = "verification window ends"
	Renew            Act = "renewal before it expires"
)

// Mode is the set of rules: the sandbox lets a test complete a reissue in one step.
type Mode int

// The modes. In the table, Always marks a row for production and the sandbox, and ByOperator a
// production row for operators but not for callers.
const (
	Always Mode = iota
	Production
	Sandbox
	ByOperator
)

// SandboxEnding is the last four digits of every card number in the sandbox (interface §6.5).
const SandboxEnding = "1111"

// String returns the name of the mode. It is empty for Always.
func (m Mode) String() string {
	switch m {
	case Production:
		return "production"
	case Sandbox:
		return "sandbox"
	case ByOperator:
		return "production, by an operator"
	}
	return ""
}

// Transition is a row of the table: what an act does to the status of a card.
type Transition struct {
	From Status
	Act  Act
	To   Status
	Mode Mode // the mode in which the row applies
}

// Transitions is the whole table. An act on a card is rejected if its status has no row for the
// act.
var Transitions = slices.Concat([]Transition{
	{Initiated, TakeOrder, Initiated, Always},
	{PendingVerification, TakeOrder, PendingVerification, Always}, // late report
	{ReissuePendingVerification, TakeOrder, ReissuePendingVerification, Always},
	{Verified, TakeOrder, Verified, Always}, // created as Verified, or remade
	{Initiated, Ship, PendingVerification, Always},
	{PendingVerification, Ship, PendingVerification, Always}, // after it came back
	{ReissuePendingVerification, Ship, ReissuePendingVerification, Always},
	{Verified, Ship, Verified, Always}, // remade, or verified before the report arrived
	{PendingVerification, Deliver, PendingVerification, Always},
	{ReissuePendingVerification, Deliver, ReissuePendingVerification, Always},
	{Verified, Deliver, Verified, Always},
	{PendingVerification, Return, PendingVerification, Always},
	{ReissuePendingVerification, Return, ReissuePendingVerification, Always},
	{Verified, Return, Verified, Always},
	{Initiated, Refuse, Denied, Always},
	// A replacement and a digital card can be refused too. Only the order distinguishes that from
	// the refusal of another order.
	{Initiated, RefuseToMake, Denied, Always},
	{ReissuePendingVerification, RefuseToMake, Denied, Always},
	{Verified, RefuseToMake, Denied, Always},
	{PendingVerification, ExpireUnverified, Expired, Always},
	{ReissuePendingVerification, ExpireUnverified, Expired, Always},
	{Verified, Renew, Verified, Always},

	{PendingVerification, Verify, Verified, Always},
	{ReissuePendingVerification, Verify, Verified, Always},

	{Verified, ReissueSamePAN, Verified, Always},
	{PendingVerification, ReissueSamePAN, PendingVerification, Production},
	{PendingVerification, ReissueSamePAN, ReissuePendingVerification, Sandbox},
	{Expired, ReissueSamePAN, ReissuePendingVerification, Production},
	{Expired, ReissueSamePAN, Verified, Sandbox},
	{ReissuePendingVerification, ReissueSamePAN, ReissuePendingVerification, Sandbox},
	{ReissuePendingVerification, ReissueSamePAN, ReissuePendingVerification, ByOperator},

	{Verified, ReissueNewPAN, Reissued, Always},
	{PendingVerification, ReissueNewPAN, Reissued, Always},
	{Expired, ReissueNewPAN, Reissued, Always},
	{ReissuePendingVerification, ReissueNewPAN, Reissued, Sandbox},
	{ReissuePendingVerification, ReissueNewPAN, Reissued, ByOperator},

	{PendingVerification, Archive, Archived, Always},
	{ReissuePendingVerification, Archive, Archived, Always},
	{Verified, Archive, Archived, Always},
	{Reissued, Archive, Archived, Always},
	{Denied, Archive, Archived, Always},
	{Expired, Archive, Archived, Always},
},
	// These leave the status unchanged and are possible until the card is archived.
	unchangedRows(LockCard), unchangedRows(Unlock), unchangedRows(Hotlist), unchangedRows(AddAccount),
	unchangedRows(RemoveAccount), unchangedRows(Reprioritize),
	unchangedRows(LockBySystem), unchangedRows(UnlockBySystem),
	// A card that was denied or replaced is never used, so it accepts no PIN either.
	unchangedRows(ResetPin, Denied, Reissued), unchangedRows(SetPin, Denied, Reissued))

// unchangedRows returns the rows of an act that leaves the status unchanged: one for every status
// except Archived and those in but.
func unchangedRows(act Act, but ...Status) []Transition {
	var rows []Transition
	for _, status := range Statuses {
		if status != Archived && !slices.Contains(but, status) {
			rows = append(rows, Transition{status, act, status, Always})
		}
	}
	return rows
}

// Allows reports whether the card's status allows an act in a mode, for any actor except customers.
func (c Card) Allows(act Act, mode Mode) bool {
	_, possible := next(mode, c.Status, act)
	return possible
}

// CheckCustomer returns the fault that prevents a customer from an act on the card, or nil. The
// card must belong to the customer, and its status must allow the act. Operators and the processor
// need only Allows.
func (c Card) CheckCustomer(act Act, mode Mode, customerID int) error {
	if !c.BelongsTo(customerID) {
		return AccessFault(act, c.ID, customerID)
	}
	if row, possible := find(mode, c.Status, act); possible && row.Mode != ByOperator {
		return nil
	}
	if status, known := statusFaults[act]; known {
		return fault.New(status, c.ID, c.Status)
	}
	return AccessFault(act, c.ID, customerID)
}

// CheckAccessType returns fault.CardAccess if the customer's own access type allows no act on
// cards. The acts on a card's accounts require more, and check it after the ownership of the card.
func CheckAccessType(act Act, cardID int, by customer.Standing) error {
	if by.UsesCards() || act == AddAccount || act == RemoveAccount || act == Reprioritize {
		return nil
	}
	return fault.New(fault.CardAccess, by.ID, cardID)
}

// BelongsTo reports whether a customer is the creator or the holder of the card.
func (c Card) BelongsTo(customerID int) bool {
	return c.CustomerID == customerID || c.HolderID == customerID
}

// accessFaults maps a customer's acts to their faults for a card that is not the customer's.
var accessFaults = map[Act]fault.Kind{
	Verify:         fault.VerifyCardInvalid,
	LockCard:       fault.CardAccess,
	Hotlist:        fault.CardAccess,
	Unlock:         fault.UnlockCardInvalid,
	ReissueSamePAN: fault.ReissueCardInvalid,
	ReissueNewPAN:  fault.ReissueCardInvalid,
	Archive:        fault.ArchiveCardInvalid,
	AddAccount:     fault.AddAccountCardInvalid,
	RemoveAccount:  fault.RemoveAccountCardInvalid,
	Reprioritize:   fault.ReprioritizeCardInvalid,
	ResetPin:       fault.CardAccess,
}

// statusFaults maps a customer's acts to their faults for a card whose status does not allow the
// act. The other acts treat such a card like one that is not the customer's.
var statusFaults = map[Act]fault.Kind{
	Verify:         fault.VerifyStatus,
	ReissueSamePAN: fault.ReissueStatus,
	ReissueNewPAN:  fault.ReissueStatus,
	Archive:        fault.ArchiveStatus,
}

// AccessFault returns the fault of an act on a card that is not the customer's or does not exist.
// The response does not distinguish the two.
func AccessFault(act Act, cardID, customerID int) error {
	kind := accessFaults[act]
	if kind == fault.CardAccess { // its message names the customer first
		return fault.New(kind, customerID, cardID)
	}
	return fault.New(kind, cardID, customerID)
}

// next returns the status that an act leads to, and whether the act is possible.
func next(mode Mode, from Status, act Act) (Status, bool) {
	row, possible := find(mode, from, act)
	return row.To, possible
}

// find returns the row of an act in a mode. The rows of operators count as rows of production.
func find(mode Mode, from Status, act Act) (row Transition, possible bool) {
	for _, row := range Transitions {
		inMode := row.Mode == Always || row.Mode == mode ||
			row.Mode == ByOperator && mode == Production
		if row.From == from && row.Act == act && inMode {
			return row, true
		}
	}
	return Transition{}, false
}
