// Package audit defines the record of an act: the actor, the address and the request it came by,
// the reason, the subject, and the changed properties. An entry is written in the transaction of
// its act. The store keeps entries and never changes them; who may act is decided elsewhere.
package audit

import (
	"strconv"
	"time"
)

// Kind says what sort of actor performed an act.
type Kind string

// The kinds of actor.
const (
	APIKey      Kind = "key"       // a calling program, named by its API key
	Operator    Kind = "operator"  // a person who signed in
	ByToken     Kind = "token"     // a program of operators, by its token
	Processor   Kind = "processor" // the card processor, by a report
	Job         Kind = "job"       // a background job
	CommandLine Kind = "load"      // a person at the command line, whatever the command
)

// Actor is who performs an act, and what is known of the request.
type Actor struct {
	Kind      Kind
	ID        int    // of the operator or the token; 0 for others, and in older entries
	Name      string // of the API key, operator, token or job; of the person at the command line
	Address   string // the network address; empty for jobs and commands
	RequestID string // empty for jobs and commands
	Reason    string // what the actor gave as the reason; callers give none
}

// SubjectKind says what sort of thing an act was about.
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
	Compromise   SubjectKind = "compromise"   // a list of compromised numbers
	Order        SubjectKind = "order"        // to the processor; an act that is done names its card
	Installation SubjectKind = "installation" // the database and the keys that belong to it
	Log          SubjectKind = "audit"        // the audit itself, by what was exported of it
)

// SubjectKinds are the kinds of subject.
var SubjectKinds = []SubjectKind{
	Card, Customer, Account, Program, Bank, Bin, PciKey, Key, Document, Webhook, Approval, Person,
	Token, LoadedFile, Compromise, Order, Installation, Log,
}

// Subject is what an act was about. The zero Subject stands for nothing in particular.
type Subject struct {
	Kind SubjectKind
	ID   string
}

// Of returns the subject of a kind that has a number.
func Of(kind SubjectKind, id int) Subject { return Subject{kind, strconv.Itoa(id)} }

// Number returns the number of a subject of a kind, 0 for a subject of another kind.
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
	Act        string // the route of the request; for other actors the name of the operation
	ProgramID  int    // 0 when the act belongs to no program
	BankID     int    // of an act that belongs to a bank and to none of its programs; else 0
	CustomerID int    // the customer in whose name a caller acted, 0 for none
	Subject    Subject
	Outcome    string

	// Before and After are the properties that changed, as JSON objects: as they were and as they
	// are. Before is empty for something new, both are empty when nothing changed.
	Before, After string
}
