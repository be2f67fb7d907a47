// Package store defines what Mintmark stores and how it is found: the contract between the acts of
// the service and a database. It makes no decisions. Package sqlstore implements the contract in
// SQL, package cached answers frequent reads from memory, and package storetest is the test suite
// that every implementation must pass.
//
// The contract consists of parts, one per subject. A caller that needs one part requests only that
// part, and a decorator overrides only that part. The verbs are Find, List, Put, Change and Delete,
// and a few others, such as Has, Count, Empty and Revision. Unless its comment says otherwise, a
// Find fails with ErrNotFound when the record does not exist; a record of another program or bank
// counts as absent. Results may be shared with other callers, so their slices and maps must not be
// modified.
//
// A row that operators change has a revision, and Put stores the next one. Put inserts a value with
// revision 0 as revision 1, and fails with ErrExists when the row exists. Any other value replaces
// exactly the revision at which it was read; Put fails with ErrLostUpdate when the stored row has
// another revision or is gone. Rows that are written once, or by a single statement, have no
// revision.
package store

import (
	"context"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store/reconciled"
)

// Store runs closures over the stored data. One rule applies to all closures: a closure has no
// effects outside its Tx, except that its last step may assign its results. It may run more than
// once, and in another goroutine. Store returns an error of the closure unchanged, and then nothing
// that the closure wrote is stored.
type Store interface {
	// Read runs a closure in which each find sees its own snapshot. A closure with a single find
	// uses Read, because the find may be answered from memory or together with other reads. The
	// result is never older than the last Update that returned before the call. Writes by another
	// process to the same file may be missing for up to half a second.
	Read(ctx context.Context, fn func(Tx) error) error

	// View runs a closure in which all finds see one snapshot. In Read and View, every method whose
	// name begins with Put, Change, Delete, Empty or Add fails with ErrReadOnly.
	View(ctx context.Context, fn func(Tx) error) error

	// Update runs a closure in a serializable transaction and commits everything it wrote, or
	// nothing. When Update returns nil, all writes are on disk. ErrExists and ErrLostUpdate are
	// returned by the write that causes them or by Update. After a failed write nothing is
	// committed, even if the closure returns nil: Update then returns the error of that write. On
	// the embedded database an Update inside an Update deadlocks until its context ends.
	Update(ctx context.Context, fn func(Tx) error) error

	// Dispatch runs a closure over the orders in a transaction in which each statement sees
	// everything committed before it. It commits like an Update but is not serializable: acts read
	// no orders other than those of their card.
	Dispatch(ctx context.Context, fn func(OrderQueue) error) error

	// DigestEntries sets the function that computes the keyed digest stored with each audit entry.
	// It is called once, before the store is used.
	DigestEntries(digest func(audit.Entry) []byte)

	// Close waits for running transactions and closes the store. Later calls fail with
	// ErrUnavailable.
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
	// Now returns the time of the transaction: whole milliseconds, UTC. Each call returns the same
	// time.
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
