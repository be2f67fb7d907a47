package store

import "time"

// Erasure empties copies of what is known of people: of a customer who is erased, and of others
// when their period is over.
type Erasure interface {
	// EmptySnapshots takes names and address from at most limit orders that were done or dropped
	// before a moment, and returns how many it has found.
	EmptySnapshots(before time.Time, limit int) (int, error)
	// DeleteReconciliations deletes at most limit reports from before a moment, but no newest one.
	DeleteReconciliations(before time.Time, limit int) (int, error)

	// ListAnswers returns at most limit answers that are kept for callers of a program, behind a
	// scope and in the order of the scopes.
	ListAnswers(programID int, behind IdempotencyScope, limit int) ([]IdempotencyRecord, error)
	// ListOperatorsAnswers is ListAnswers for the answers that are kept for operators.
	ListOperatorsAnswers(behind IdempotencyScope, limit int) ([]IdempotencyRecord, error)
	// PutAnswer replaces the text of an answer to a caller. One that is gone meanwhile stays gone.
	PutAnswer(of IdempotencyScope, text []byte) error
	PutOperatorsAnswer(of IdempotencyScope, text []byte) error
	// EmptyApproval takes request and answer from an approval, and replaces operators' reasons.
	EmptyApproval(id int, reason string) error
	// EmptyAttempts takes what receivers answered from attempts to deliver to a program: it goes on
	// where it ended before, looks at no more than limit attempts, and returns how many it has
	// looked at.
	EmptyAttempts(programID, limit int) (int, error)
	// PutSearchText replaces the search text of a card where it is packed already.
	PutSearchText(c CardSummary) error

	// ListErased returns the erased customers of whom copies are left, by their numbers.
	ListErased() ([]Erased, error)
	// PutErased notes that copies of a customer are left. One who is noted already stays as noted.
	PutErased(customerID int) error
	// ChangeErased stores how far the kept answers are read. One who is gone meanwhile stays gone.
	ChangeErased(e Erased) error
	// DeleteErased notes that all copies of a customer are emptied.
	DeleteErased(customerID int) error
}

// Erased is an erased customer of whom copies are left.
type Erased struct {
	ProgramID, CustomerID int
	// Behind is the kept answer that was read last: of those to callers, then of those to operators.
	Behind      IdempotencyScope
	ToOperators bool
}
