package store

import "time"

// Erasure empties copies of personal data: of an erased customer, and of others when the retention
// period is over.
type Erasure interface {
	// RedactOrders removes names and addresses from at most limit orders that were done or
	// dropped before a time, and returns how many such orders it found.
	RedactOrders(before time.Time, limit int) (int, error)
	// DeleteReconciliations deletes at most limit reports older than before, except the newest of
	// each program and kind.
	DeleteReconciliations(before time.Time, limit int) (int, error)

	// ListAnswers returns at most limit stored responses to callers of a program, in order of their
	// scopes, after a scope.
	ListAnswers(programID int, behind IdempotencyScope, limit int) ([]IdempotencyRecord, error)
	// ListOperatorsAnswers is ListAnswers for the stored responses to operators.
	ListOperatorsAnswers(behind IdempotencyScope, limit int) ([]IdempotencyRecord, error)
	// PutAnswer replaces the text of a response to a caller. It does nothing when the response is
	// gone.
	PutAnswer(of IdempotencyScope, text []byte) error
	PutOperatorsAnswer(of IdempotencyScope, text []byte) error
	// EmptyApproval removes request and response from an approval, and replaces the operators'
	// reasons.
	EmptyApproval(id int, reason string) error
	// EmptyAttempts removes the receivers' responses from delivery attempts of a program. It
	// continues where the previous call ended, examines at most limit attempts, and returns how
	// many it examined.
	EmptyAttempts(programID, limit int) (int, error)
	// PutSearchText replaces the search text of a card that is already packed into a block.
	PutSearchText(c CardSummary) error

	// ListErased returns the erased customers that still have copies, by customer ID.
	ListErased() ([]Erased, error)
	// PutErased records that copies of an erased customer remain. It leaves an existing record
	// unchanged.
	PutErased(customerID int) error
	// ChangeErased stores how far the stored responses were read. It does nothing when the record
	// is gone.
	ChangeErased(e Erased) error
	// DeleteErased records that all copies of a customer are emptied.
	DeleteErased(customerID int) error
}

// Erased is an erased customer of whom copies remain.
type Erased struct {
	ProgramID, CustomerID int
	// Behind is the scope of the stored response that was read last. Responses to callers are read
	// first, then those to operators.
	Behind      IdempotencyScope
	ToOperators bool
}
