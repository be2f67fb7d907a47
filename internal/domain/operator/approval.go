package operator

import "time"

// Location is the program and the bank that something belongs to. Program is 0 for what belongs to
// a bank as a whole; both are 0 for what belongs to none.
type Location struct {
	ProgramID, BankID int
}

// ApprovalState says how far an approval has come.
type ApprovalState string

// The states of an approval. One that waits lapses without a change of its row.
const (
	Waiting   ApprovalState = "waiting"
	Done      ApprovalState = "done" // approved; the status says what came of the act
	Rejected  ApprovalState = "rejected"
	Withdrawn ApprovalState = "withdrawn"
	Lapsed    ApprovalState = "lapsed"

	// Approved is what the previous version writes before it begins the act.
	Approved ApprovalState = "approved"
)

// ApprovalStates are those that an approval is shown in.
var ApprovalStates = []ApprovalState{Waiting, Approved, Done, Rejected, Withdrawn, Lapsed}

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
	Location
	Subject string // as in the audit; empty for none
	Reason  string

	AskedBy Identity // as of that moment
	Asked   time.Time
	Lapses  time.Time

	EndedBy Identity // without roles and scope; the zero Identity before it has ended
	Ended   time.Time
	Why     string // of who ended it

	Begun  time.Time // when the first transaction of the act was kept; zero when none was
	Status int       // of the answer to the act, 0 before there is one
	Result []byte    // that answer, sealed; nil once it was read, unless it is a refusal
}

// IsRefused reports whether a rule has refused the approved act. Then the answer says why, and stays.
func (a Approval) IsRefused() bool { return a.Status >= FirstRefusal }

// FirstRefusal is the least HTTP status of an answer that refuses.
const FirstRefusal = 400

// StateAt returns the state at a moment: what no operator has ended lapses.
func (a Approval) StateAt(now time.Time) ApprovalState {
	switch {
	case a.State == Approved && (a.Status != 0 || !a.Begun.IsZero()):
		return Done
	case a.State == Approved && !now.Before(a.Ended.Add(ApprovalLasts)),
		a.State == Waiting && !now.Before(a.Lapses):
		return Lapsed
	}
	return a.State
}

// IsOf reports whether an operator has asked for the act: itself, or by a token of its own.
func (a Approval) IsOf(who Identity) bool {
	return a.AskedBy.Is(who) || !who.IsToken && a.AskedBy.Person() == who.Person()
}

// HasResult reports whether the answer to the act can be read.
func (a Approval) HasResult(now time.Time) bool {
	return len(a.Result) > 0 && now.Before(a.Ended.Add(ApprovalLasts))
}

// GivesResult reports whether an operator can read the answer to the act: the requester, who could
// still ask for it.
func (a Approval) GivesResult(who Identity, now time.Time) bool {
	return a.HasResult(now) && a.IsOf(who) && a.inScope(who.Scope) && a.hasRole(who.Roles)
}

// IsOpen reports whether the act has not been begun, and may be.
func (a Approval) IsOpen(now time.Time) bool {
	state := a.StateAt(now)
	return state == Waiting || state == Approved
}

// EndError is why an operator may not approve or reject.
type EndError struct{ Detail string }

// Error returns the reason.
func (e *EndError) Error() string { return e.Detail }

// The reasons why an operator may not approve or reject.
var (
	ErrOwnApproval = &EndError{"The requester of an act cannot confirm it."}
	ErrNoOwner     = &EndError{"The token has no known owner. Create another token."}

	ErrTokenApproves = &EndError{"A token approves only where the setting tokensApprove is on, " +
		"and only one that belongs to a person."}
	ErrApprovalRole  = &EndError{"The operator has none of the roles that the act needs."}
	ErrApprovalEnded = &EndError{"The approval has ended."}
)

// CheckEnd returns why an operator may not approve or reject, or nil. The operator must be a different
// person than the requester, have one of the roles that the act needs, and have all that the act is
// about in scope. tokens is the setting tokensApprove.
func (a Approval) CheckEnd(who Identity, tokens bool, now time.Time) error {
	switch {
	case !a.IsOpen(now):
		return ErrApprovalEnded
	case a.AskedBy.Person() == Owner{}:
		return ErrNoOwner
	case a.AskedBy.MayBeSamePerson(who):
		return ErrOwnApproval
	case who.IsToken && (!tokens || who.Owner.Kind != OwnedByPerson):
		return ErrTokenApproves
	case !a.inScope(who.Scope) || !a.hasRole(who.Roles):
		return ErrApprovalRole
	}
	return nil
}

// IsSeenBy reports whether an operator may know of the approval.
func (a Approval) IsSeenBy(who Identity) bool {
	return a.inScope(who.Scope) && (a.IsOf(who) || a.hasRole(who.Roles) ||
		who.Roles.Has(Security) || who.Roles.Has(Auditor))
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
