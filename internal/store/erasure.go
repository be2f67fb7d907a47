package store

import "time"

// Erasure empties copies of what is known of people: of a customer who is erased, and of others
// when their period is over.
type Erasure interface {
	// EmptySnapshots takes names and address from at most limit orders that were done before a
	// moment, and returns how many it has found.
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
	// EmptyAttempts takes what receivers answered from the attempts to deliver to a program.
	EmptyAttempts(programID int) error
	// PutSearchText replaces the search text of a card where it is packed already.
	PutSearchText(c CardSummary) error
}
