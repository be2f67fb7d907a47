package store

import (
	"time"

	"mintmark/internal/domain/operator"
)

// Approvals are acts of operators that a second operator must approve.
type Approvals interface {
	Find(id int) (operator.Approval, error)
	// List returns approvals, newest first. It reads no rows beyond those it returns.
	List(q ApprovalQuery) ([]operator.Approval, error)
	// Put inserts an approval, whose ID must be 0, under the next number; or it stores the outcome
	// of one, replacing the revision that was read.
	Put(a *operator.Approval) error
	// DeleteResultsBefore removes at most limit results of approvals that ended before a time and
	// were not refused, and returns how many.
	DeleteResultsBefore(moment time.Time, limit int) (int, error)
	// DeleteBefore deletes at most limit approvals whose lapse time is before a time, whether or
	// not they lapsed, and returns how many.
	DeleteBefore(moment time.Time, limit int) (int, error)
}

// ApprovalQuery selects approvals. WaitingAt and Owner are mutually exclusive.
type ApprovalQuery struct {
	Below     int             // approvals with smaller numbers; 0 for the newest
	Limit     int             // maximum number of approvals
	WaitingAt time.Time       // approvals that are waiting and lapse after this time; zero for any
	Banks     []int           // banks of waiting approvals, 0 for those without a bank; nil for all
	Owner     *operator.Owner // owner of the requesting identity; nil for any
}

// OperatorAnswers holds the responses to operators. Instead of an API key, a scope has the kind and
// number of the operator, such as token:7.
type OperatorAnswers interface {
	Answers
	// Change replaces the status and the response of a record.
	Change(r IdempotencyRecord) error
}

// LocationKind is the kind of a resource to locate, named by the noun in its routes.
type LocationKind string

// The kinds of resources that belong to a bank.
const (
	LocationOfBank     LocationKind = "banks"
	LocationOfProgram  LocationKind = "programs"
	LocationOfCustomer LocationKind = "customers"
	LocationOfAccount  LocationKind = "accounts"
	LocationOfCard     LocationKind = "cards"
	LocationOfOrder    LocationKind = "orders"
	LocationOfWebhook  LocationKind = "webhooks"
)

// Locations finds the program and the bank to which a resource belongs.
type Locations interface {
	Find(kind LocationKind, id int) (operator.Location, error)
}
