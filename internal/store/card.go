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

	// FindView returns what a request about one card reads first. ErrNotFound means that there is
	// no such customer; without the card there is a view without it.
	FindView(programID, customerID int, of CardKey) (CardView, error)
	// FindFullView returns a view with what rarer acts read besides. ErrNotFound means the same as
	// for FindView.
	FindFullView(of FullCardQuery) (FullCardView, error)
	// ListByCustomer returns a customer with the cards that it created or holds, in the order of
	// their numbers. A card counts as one row for each of its accounts, or as one row when it has
	// none; ErrMany means that there are more than maxRows rows. NoLimit lists all.
	ListByCustomer(programID, customerID, maxRows int) (CustomerCards, error)
	// ListUnverified returns at most limit cards that wait to be verified and were created, last
	// reissued and last shipped before a moment; those that wait longest come first.
	ListUnverified(programID int, before time.Time, limit int) ([]card.Card, error)
	// ListOfProgram returns at most limit cards of a program behind a number, in the order of their
	// numbers.
	ListOfProgram(programID, after, limit int) ([]card.Card, error)

	// Put inserts a card and sets its revision to 1. A card whose ID is 0 gets the next number.
	Put(c *card.Card) error
	// Change replaces a card. Before is the card as this transaction has read it; the change fails
	// with ErrLostUpdate when the stored revision is another one. It sets the next revision, and when
	// the card was modified: when it was created, if that is later.
	Change(before card.Card, after *card.Card) error

	// An attempt counts against a limit.

	// ListAttempts returns at most limit attempts, the newest first.
	ListAttempts(cardID int, kind AttemptKind, limit int) ([]time.Time, error)
	// PutAttempt notes an attempt at the time of the transaction.
	PutAttempt(cardID int, kind AttemptKind) error
}

// NoLimit as a maximum means that there is none.
const NoLimit = 0

// CardKey names a card of a program by its number or, when that is 0, by its tag.
type CardKey struct {
	ID     int
	Tag    string
	AltTag string // the tag to look for when no card of the customer has Tag; may be empty
}

// CardView is what a request about one card reads first: the customer who asks, the card, which may
// belong to another customer, and the accounts on the card.
type CardView struct {
	Customer customer.Standing
	Card     card.Card                // its ID is 0 when the program has no such card
	Accounts map[int]customer.Account // those on the card, by their number

	// Version is the same for two views only if their cards and accounts are equal. It is 0 when
	// the store does not know, and means nothing in another process.
	Version uint64
}

// FullCardQuery names a card, the customer who asks for it, and how many attempts of a kind to
// read.
type FullCardQuery struct {
	ProgramID, CustomerID, CardID int

	Kind  AttemptKind
	Limit int
}

// FullCardView is a CardView with its creator, recent attempts and program: what verify, reissue
// and resetpin need. Without the card there are only the view and the program.
type FullCardView struct {
	CardView
	Creator  customer.Customer // of the card
	Attempts []time.Time       // the newest first
	Program  program.Issuing
}

// CustomerCards are a customer, the cards that it created or holds, and the accounts on them.
type CustomerCards struct {
	Customer customer.Standing
	Cards    []card.Card
	Accounts map[int]customer.Account // by their number
}

// AttemptKind is a kind of attempt that is counted against a limit.
type AttemptKind string

// The kinds of attempt.
const (
	VerifyFailed AttemptKind = "verify failed"
	PinTaken     AttemptKind = "pin taken"
)
