package operator

import "time"

// Place is the program and the bank that something belongs to. Program is 0 for what belongs to a
// bank as a whole; both are 0 for what belongs to none.
type Place struct {
	ProgramID, BankID int
}

// ApprovalState says how far an approval has come.
type ApprovalState string

// The states of an approval. One that waits lapses without a change of its row.
const (
	Waiting  ApprovalState = "waiting"
	Approved ApprovalState = "approved"
	Rejected ApprovalState = "rejected"
	Lapsed   ApprovalState = "lapsed"
)

// ApprovalLasts is how long an approval waits for another operator, and how long its result waits
// for who has asked.
const ApprovalLasts = 24 * time.Hour

// Approval is an act that one operator has asked for and another one has to confirm.
type Approval struct {
	ID       int
	Revision int
	State    ApprovalState

	Act     string // in words
	Method  string
	Path    string
	Body    []byte // as it was sent
	IfMatch int    // the revision that it demands, 0 for none
	Roles   Roles  // of which the act needs one
	Place
	Subject string // as in the audit; empty for none
	Reason  string

	AskedBy Identity
	Asked   time.Time
	Lapses  time.Time

	EndedBy string
	Ended   time.Time
	Why     string // of who ended it

	Status int    // of the answer to the act, 0 before there is one
	Result []byte // that answer, sealed; nil once it was read
}

// StateAt returns the state at a moment: an approval that nobody has ended lapses.
func (a Approval) StateAt(now time.Time) ApprovalState {
	if a.State == Waiting && !now.Before(a.Lapses) {
		return Lapsed
	}
	return a.State
}

// IsOf reports whether an operator has asked for the act.
func (a Approval) IsOf(who Identity) bool {
	return a.AskedBy.IsToken == who.IsToken && a.AskedBy.ID == who.ID &&
		a.AskedBy.Name == who.Name
}

// HasResult reports whether who has asked can read the answer to the act.
func (a Approval) HasResult(now time.Time) bool {
	return len(a.Result) > 0 && now.Before(a.Ended.Add(ApprovalLasts))
}

// IsOpen reports whether the approval waits: for another operator, or, once approved, for its act
// to be done.
func (a Approval) IsOpen(now time.Time) bool {
	return a.StateAt(now) == Waiting || a.State == Approved && a.Status == 0
}

// MayEnd reports whether an operator may approve or reject: another one than who has asked, with
// one of the roles that the act needs, who sees all that it is about.
func (a Approval) MayEnd(who Identity, now time.Time) bool {
	return a.IsOpen(now) && !a.IsOf(who) && a.inScope(who.Scope) && a.hasRole(who.Roles)
}

// IsSeenBy reports whether an operator may know of the approval.
func (a Approval) IsSeenBy(who Identity) bool {
	if a.IsOf(who) {
		return true
	}
	return a.inScope(who.Scope) &&
		(a.hasRole(who.Roles) || who.Roles.Has(Security) || who.Roles.Has(Auditor))
}

func (a Approval) inScope(s Scope) bool {
	if a.BankID != 0 {
		return s.Includes(a.BankID)
	}
	return a.AskedBy.Scope.Within(s)
}

func (a Approval) hasRole(roles Roles) bool {
	for _, role := range a.Roles {
		if roles.Has(role) {
			return true
		}
	}
	return false
}
