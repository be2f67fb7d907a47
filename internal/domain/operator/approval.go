package operator

import "time"

// Location is the program and the bank to which something belongs. ProgramID is 0 if it belongs to
// a bank as a whole; both are 0 if it belongs to neither.
type Location struct {
	ProgramID, BankID int
}

// ApprovalState is the state of an approval.
type ApprovalState string

// The states of an approval. A waiting approval lapses without an update of its row.
const (
	Waiting   ApprovalState = "waiting"
	Done      ApprovalState = "done" // approved; Status is the result of the act
	Rejected  ApprovalState = "rejected"
	Withdrawn ApprovalState = "withdrawn"
	Lapsed    ApprovalState = "lapsed"

	// Approved is the state that the previous version writes before it begins the act.
	Approved ApprovalState = "approved"
)

// ApprovalStates lists the states in which an approval can be shown.
var ApprovalStates = []ApprovalState{Waiting, Approved, Done, Rejected, Withdrawn, Lapsed}

// ApprovalLifetime is how long an approval waits for another operator, and how long its result is
// available to the requester.
const ApprovalLifetime = 24 * time.Hour

// Approval is an act that one operator has requested and another must approve.
type Approval struct {
	ID       int
	Revision int
	State    ApprovalState

	Act     string // in words
	Method  string
	Path    string
	Body    []byte // as sent
	IfMatch int    // the revision that it requires, 0 for none
	Roles   Roles  // the act requires one of these
	Location
	Subject string // as in the audit; empty for none
	Reason  string

	AskedBy Identity // as of the request
	Asked   time.Time
	Lapses  time.Time

	EndedBy Identity // without roles and scope; the zero Identity while it is open
	Ended   time.Time
	Why     string // as given by EndedBy

	Begun  time.Time // when the first transaction of the act was committed; zero before
	Status int       // HTTP status of the act's response, 0 before there is one
	Result []byte    // that response, encrypted; nil once it is read, unless it is an error
}

// IsRefused reports whether a rule rejected the approved act. The response then gives the reason
// and is retained.
func (a Approval) IsRefused() bool { return a.Status >= FirstRefusal }

// FirstRefusal is the lowest HTTP status of a response that rejects a request.
const FirstRefusal = 400

// StateAt returns the state at a time: an approval that no operator has ended lapses.
func (a Approval) StateAt(now time.Time) ApprovalState {
	switch {
	case a.State == Approved && (a.Status != 0 || !a.Begun.IsZero()):
		return Done
	case a.State == Approved && !now.Before(a.Ended.Add(ApprovalLifetime)),
		a.State == Waiting && !now.Before(a.Lapses):
		return Lapsed
	}
	return a.State
}

// IsOf reports whether an operator requested the act, directly or through a token that it owns.
func (a Approval) IsOf(who Identity) bool {
	return a.AskedBy.Is(who) || !who.IsToken && a.AskedBy.Person() == who.Person()
}

// HasResult reports whether the response to the act can be read.
func (a Approval) HasResult(now time.Time) bool {
	return len(a.Result) > 0 && now.Before(a.Ended.Add(ApprovalLifetime))
}

// GivesResult reports whether an operator can read the response to the act: only the requester can,
// and only while it could still request the act.
func (a Approval) GivesResult(who Identity, now time.Time) bool {
	return a.HasResult(now) && a.IsOf(who) && a.inScope(who.Scope) && a.hasRole(who.Roles)
}

// IsOpen reports whether the act has not begun and may still begin.
func (a Approval) IsOpen(now time.Time) bool {
	state := a.StateAt(now)
	return state == Waiting || state == Approved
}

// EndError is the reason why an operator may not approve or reject.
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

// CheckEnd returns why an operator may not approve or reject, or nil. The operator must be a
// different person from the requester, have one of the roles that the act requires, and have
// everything that the act is about in scope. tokens is the setting tokensApprove.
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

// IsSeenBy reports whether an operator may see the approval.
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
