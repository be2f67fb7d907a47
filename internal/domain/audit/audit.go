// Package audit defines the record of an act: the actor, the address and ID of the request, the
// reason, the subject, and the changed properties. An entry is written in the transaction of its
// act. The store never changes an entry; other packages decide who may act.
package audit

import (
	"strconv"
	"time"
)

// Kind is the kind of an actor.
type Kind string

// The kinds of actor.
const (
	APIKey      Kind = "key"       // a calling program, by the name of its API key
	Operator    Kind = "operator"  // a person who signed in
	ByToken     Kind = "token"     // an operators' program, by its token
	Processor   Kind = "processor" // the card processor, by a report
	Job         Kind = "job"       // a background job
	CommandLine Kind = "load"      // a person at the command line, whatever the command
)

// Actor is who performs an act, with the context of the request.
type Actor struct {
	Kind      Kind
	ID        int    // of the operator or the token; 0 for other kinds and in older entries
	Name      string // of the API key, operator, token or job; of the person at the command line
	Address   string // the network address; empty for jobs and commands
	RequestID string // empty for jobs and commands
	Reason    string // the reason that the actor gave; callers give none
}

// SubjectKind is the kind of thing that an act is about.
type SubjectKind string

// The kinds of subject.
const (
	Card         SubjectKind = "card"
	Customer     SubjectKind = "customer"
	Account      SubjectKind = "account" // of a customer
	Program      SubjectKind = "program"
	Bank         SubjectKind = "bank"
	Bin          SubjectKind = "bin"
	PciKey       SubjectKind = "pciKey"
	Key          SubjectKind = "key"
	Document     SubjectKind = "document"
	Webhook      SubjectKind = "webhook"
	Approval     SubjectKind = "approval"
	Person       SubjectKind = "operator"
	Token        SubjectKind = "token"        // of an operators' program
	LoadedFile   SubjectKind = "load"         // a loaded file, by its SHA-256
	Compromise   SubjectKind = "compromise"   // a list of compromised card numbers
	Order        SubjectKind = "order"        // to the processor; a completed act names its card
	Installation SubjectKind = "installation" // the database and its keys
	Log          SubjectKind = "audit"        // the audit log itself, by the part that was exported
)

// SubjectKinds lists the kinds of subject.
var SubjectKinds = []SubjectKind{
	Card, Customer, Account, Program, Bank, Bin, PciKey, Key, Document, Webhook, Approval, Person,
	Token, LoadedFile, Compromise, Order, Installation, Log,
}

// Subject is what an act is about. The zero Subject means nothing in particular.
type Subject struct {
	Kind SubjectKind
	ID   string
}

// Of returns the subject with a kind and a numeric ID.
func Of(kind SubjectKind, id int) Subject { return Subject{kind, strconv.Itoa(id)} }

// Number returns the numeric ID of the subject, or 0 if it is of another kind.
func (s Subject) Number(kind SubjectKind) int {
	if s.Kind != kind {
		return 0
	}
	number, err := strconv.Atoi(s.ID)
	if err != nil {
		return 0
	}
	return number
}

// Entry is the record of one act on one subject.
type Entry struct {
	At time.Time
	Actor
	Act        string // the route of the request; the name of the operation for other actors
	ProgramID  int    // 0 if the act belongs to no program
	BankID     int    // if the act belongs to a bank but to none of its programs; else 0
	CustomerID int    // the customer on whose behalf a caller acted, or 0
	Subject    Subject
	Outcome    string

	// Before and After hold the old and new values of the changed properties, as JSON objects.
	// Before is empty for a new subject; both are empty if nothing changed.
	Before, After string
}
