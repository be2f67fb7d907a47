// Package store defines what Mintmark stores and how it is found: the contract between the acts of
// the service and a database. It decides nothing. Package sqlstore keeps the contract in SQL,
// package cached answers frequent reads from memory, and package storetest is the suite that every
// implementation must pass.
//
// The contract is made of parts, one for each subject. A
// caller that needs one part asks for that part alone, and a decorator overrides one part. The
// verbs are Find, List, Put, Change and Delete, beside a few others, such as Has, Count, Empty and
// Revision. A Find answers ErrNotFound when there is no such record, where the method does not
// say otherwise; a record of another program or bank counts as absent. What is found may be shared
// with other callers, so its slices and maps must not be written to.
//
// A row that operators change carries a revision, and Put keeps the next one. A value of revision 0
// is inserted as revision 1, and is ErrExists when there is such a row. Any other value replaces
// exactly the revision that it was read at, and is ErrLostUpdate when the stored row has another
// one or is gone. Rows that are written once, or by a single statement, carry none.
package store

import (
	"context"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store/reconciled"
)

// Store runs closures over what is kept. One rule holds for all closures: a closure has no effect
// outside its Tx, except to assign its results as its last step: it may run more than once and in
// another goroutine. An error of the closure comes back unchanged, and then nothing it wrote is
// kept.
type Store interface {
	// Read runs a closure in which each find sees a snapshot of its own. A closure that finds one
	// thing uses Read, because it may be answered from memory or together with other reads. The
	// answer is never older than the last Update that returned before the call. What another
	// process has written to the same file may be missing for up to half a second.
	Read(ctx context.Context, fn func(Tx) error) error

	// View runs a closure in which all finds see one snapshot. In Read and View every method fails
	// with ErrReadOnly whose name begins with Put, Change, Delete, Empty or Add.
	View(ctx context.Context, fn func(Tx) error) error

	// Update runs a closure in a serializable transaction and keeps all that it wrote, or nothing.
	// When Update returns nil, everything written is on disk. ErrExists and ErrLostUpdate are
	// returned by the write that meets them or by Update. After a failed write nothing is kept,
	// even if the closure returns nil: Update then returns the error of that write. On the embedded
	// database an Update inside an Update waits for itself until its context ends.
	Update(ctx context.Context, fn func(Tx) error) error

	// Dispatch runs a closure over the orders in a transaction in which each statement sees what
	// was committed before it. It is kept like an Update, and is not serializable: an act reads no
	// orders but those of its card.
	Dispatch(ctx context.Context, fn func(OrderQueue) error) error

	// DigestEntries has each audit entry kept with the keyed digest that a function makes of it. It
	// is called once, before the store is used.
	DigestEntries(digest func(audit.Entry) []byte)

	// Close waits for running transactions and ends the store. Later calls answer ErrUnavailable.
	Close() error
}

// Viewer is the part of a Store that runs a View.
type Viewer interface {
	View(ctx context.Context, fn func(Tx) error) error
}

// ViewOf runs a closure in a View and returns its result.
func ViewOf[T any](ctx context.Context, s Viewer, fn func(Tx) (T, error)) (result T, err error) {
	err = s.View(ctx, func(tx Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// ReadOf runs a closure in a Read and returns its result.
func ReadOf[T any](ctx context.Context, s Store, fn func(Tx) (T, error)) (result T, err error) {
	err = s.Read(ctx, func(tx Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// Tx is one transaction.
type Tx interface {
	// Now is the time of the transaction: whole milliseconds, UTC. Each call returns the same time.
	Now() time.Time

	Banks() Banks
	BankKeys() BankKeys
	Programs() Programs
	Customers() Customers
	Accounts() Accounts
	Access() Access
	Documents() Documents
	Keys() Keys

	Cards() Cards
	CardNumbers() CardNumbers
	CardSearch() CardSearch
	Issuance() Issuance
	Orders() Orders
	Files() Files
	Reports() Reports

	Authorizations() Authorizations
	Holds() Holds
	Reversals() Reversals
	Postings() Postings
	Balances() Balances
	Usages() Usages

	Audit() Audit
	AuditLog() AuditLog
	Trail() Trail
	Erasure() Erasure

	CallerAnswers() Answers
	OperatorAnswers() OperatorAnswers
	Approvals() Approvals
	Locations() Locations
	Operators() Operators
	Tokens() Tokens
	Sessions() Sessions

	Webhooks() Webhooks
	Deliveries() Deliveries

	Jobs() Jobs
	Due() Due
	Hourly() Hourly
	Feeds() Feeds
	Compromises() Compromises
	Reconciliations() reconciled.Reconciliations
	Installation() Installation
}
