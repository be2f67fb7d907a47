package store

import (
	"time"

	"mintmark/internal/domain/operator"
)

// Approvals are acts of operators that another operator has to confirm.
type Approvals interface {
	Find(id int) (operator.Approval, error)
	// List returns approvals, newest first. It reads no others.
	List(q ApprovalQuery) ([]operator.Approval, error)
	// Put inserts an approval, whose ID must be 0, under the next number, or stores how one has
	// ended, replacing the revision that was read.
	Put(a *operator.Approval) error
	// DeleteResultsBefore removes at most limit results of approvals that ended before a moment and
	// were not refused, and returns how many.
	DeleteResultsBefore(moment time.Time, limit int) (int, error)
	// DeleteBefore deletes at most limit approvals that lapsed, or would have, before a moment, and
	// returns how many.
	DeleteBefore(moment time.Time, limit int) (int, error)
}

// ApprovalQuery asks for approvals. WaitingAt and Owner are not set together.
type ApprovalQuery struct {
	Below     int             // a number; 0 for the newest of all
	Limit     int             // at most
	WaitingAt time.Time       // those that wait, and lapse after it; zero for any
	Banks     []int           // of those that wait, 0 for those of no bank; nil for all
	Owner     *operator.Owner // who stands behind who has asked; nil for any
}

// OperatorAnswers are those of operators. Their scopes have kind and number of the operator, such
// as token:7, in place of an API key.
type OperatorAnswers interface {
	Answers
	// Change replaces the status and the answer of a record.
	Change(r IdempotencyRecord) error
}

// LocationKind is the kind of resource to locate, named by the noun of its routes.
type LocationKind string

// The kinds of things that belong to a bank.
const (
	LocationOfBank     LocationKind = "banks"
	LocationOfProgram  LocationKind = "programs"
	LocationOfCustomer LocationKind = "customers"
	LocationOfAccount  LocationKind = "accounts"
	LocationOfCard     LocationKind = "cards"
	LocationOfOrder    LocationKind = "orders"
	LocationOfWebhook  LocationKind = "webhooks"
)

// Locations finds the program and the bank that a resource belongs to.
type Locations interface {
	Find(kind LocationKind, id int) (operator.Location, error)
}
