package store

import "time"

// PersonKeys are the keys under which entries of the audit keep what they say of the people of a
// card, each sealed. A card of an earlier version has none, and neither has one whose people were
// erased.
type PersonKeys interface {
	// FindMany returns the sealed keys of cards by their numbers. Cards without one are left out.
	FindMany(cardIDs []int) (map[int][]byte, error)
	// Put inserts the key of a card. It fails with ErrExists when the card has one.
	Put(cardID int, sealed []byte) error
	// Delete removes the key of a card, if it has one.
	Delete(cardID int) error
}

// Traces are copies of what is known of people. They are emptied when a customer is erased.
type Traces interface {
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

// OldTraces are copies of what is known of people and their cards that are past their period.
type OldTraces interface {
	// EmptySnapshots takes names and address from at most limit orders that were done before a
	// moment, and returns how many it has found.
	EmptySnapshots(before time.Time, limit int) (int, error)
	// DeleteReconciliations deletes at most limit reports from before a moment, but no newest one.
	DeleteReconciliations(before time.Time, limit int) (int, error)
}
