package store

import (
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
)

// Cards are the cards with the accounts they draw on.
type Cards interface {
	Find(programID, cardID int) (card.Card, error)

	// FindView returns what a request about one card reads first. It fails with ErrNotFound when
	// the customer does not exist; when only the card does not, it returns a view without a card.
	FindView(programID, customerID int, of CardKey) (CardView, error)
	// FindFullView returns a view with the additional data that less frequent acts read.
	// ErrNotFound means the same as for FindView.
	FindFullView(of FullCardQuery) (FullCardView, error)
	// ListByCustomer returns a customer with the cards it created or holds, in order of their IDs.
	// A card counts as one row for each of its accounts, or as one row if it has none; with more
	// than maxRows rows it fails with ErrTooMany. NoLimit lists all.
	ListByCustomer(programID, customerID, maxRows int) (CustomerCards, error)
	// ListUnverified returns at most limit cards that wait to be verified and were created, last
	// reissued and last shipped before a time, the longest waiting first.
	ListUnverified(programID int, before time.Time, limit int) ([]card.Card, error)
	// ListOfProgram returns at most limit cards of a program with IDs greater than after, in order.
	ListOfProgram(programID, after, limit int) ([]card.Card, error)

	// Put inserts a card and sets its revision to 1. A card with ID 0 gets the next number.
	Put(c *card.Card) error
	// Change replaces a card. Before is the card as this transaction read it; Change fails with
	// ErrLostUpdate when the stored revision differs. It sets the next revision and the time of
	// modification, which is never earlier than the card's creation.
	Change(before card.Card, after *card.Card) error

	// An attempt counts towards a limit.

	// ListAttempts returns at most limit attempts, newest first.
	ListAttempts(cardID int, kind AttemptKind, limit int) ([]time.Time, error)
	// PutAttempt records an attempt at the time of the transaction.
	PutAttempt(cardID int, kind AttemptKind) error
}

// NoLimit is the maximum that does not restrict a list.
const NoLimit = 0

// CardKey names a card of a program by its ID or, when the ID is 0, by its tag.
type CardKey struct {
	ID     int
	Tag    string
	AltTag string // tag to look for when none of the customer's cards has Tag; may be empty
}

// CardView is what a request about one card reads first: the requesting customer, the card, which
// may belong to another customer, and the accounts on the card.
type CardView struct {
	Customer customer.Standing
	Card     card.Card                // its ID is 0 when the program has no such card
	Accounts map[int]customer.Account // accounts on the card, by ID

	// Version is equal for two views only if their cards and accounts are equal. It is 0 when the
	// store does not track versions, and is meaningful only within one process.
	Version uint64
}

// FullCardQuery names a card, the requesting customer, and the kind and maximum number of attempts
// to read.
type FullCardQuery struct {
	ProgramID, CustomerID, CardID int

	Kind  AttemptKind
	Limit int
}

// FullCardView is a CardView with the card's creator, recent attempts and program: what verify,
// reissue and resetpin need. Without the card it has only the view and the program.
type FullCardView struct {
	CardView
	Creator  customer.Customer // of the card
	Attempts []time.Time       // newest first
	Program  program.Issuing
}

// CustomerCards is a customer with the cards it created or holds, and the accounts on them.
type CustomerCards struct {
	Customer customer.Standing
	Cards    []card.Card
	Accounts map[int]customer.Account // by ID
}

// AttemptKind is a kind of attempt that counts towards a limit.
type AttemptKind string

// The kinds of attempt.
const (
	VerifyFailed AttemptKind = "verify failed"
	PinTaken     AttemptKind = "pin taken"
)
