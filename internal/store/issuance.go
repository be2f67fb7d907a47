package store

import (
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/program"
)

// Issuance finds what an order for a new card reads.
type Issuance interface {
	// FindView returns everything that an order for a new card reads. ErrNotFound means that there
	// is no such creator; without the holder or the account there is a view without them.
	FindView(of IssuanceQuery) (IssuanceView, error)
	// FindTaken returns which names of cards that are not stored yet other cards have, in the order
	// of the cards.
	FindTaken(of []CardNames) ([]Taken, error)
}

// IssuanceQuery names what an order for a new card is about.
type IssuanceQuery struct {
	ProgramID, CreatorID, HolderID, AccountID int

	// Names says whether to look for the tag and the nickname among other cards. Both are unique in
	// the store, so an optimistic caller may skip the lookup.
	Names    bool
	Tag      string // empty when the card is to have none
	NickName string

	// ProgramKnown leaves the program out of the view.
	ProgramKnown bool
}

// IssuanceView is what an order for a new card reads.
type IssuanceView struct {
	Creator customer.Customer
	Holder  customer.Standing // its ID is 0 when the program has no such customer
	Account customer.Account  // its ID is 0 when the program has no such account
	Access  customer.AccountAccess

	TagTaken bool // this and the next are false when Names was not set
	// NickNameTaken says that the creator has a card of that nickname that may still be used, in
	// any letter case.
	NickNameTaken bool

	Program program.Issuing
}

// CardNames are the values that no two cards may share: identifier and PAN in all programs, a tag in
// its program, and a nickname among the creator's cards that may still be used.
type CardNames struct {
	CardID, ProgramID, CreatorID int
	Tag, NickName                string
	PAN                          digests.Number // without digests when it is not known
}

// Taken says which of the CardNames another card has.
type Taken struct {
	ProgramID          int // of the card with the identifier, 0 when there is none
	Tag, NickName, PAN bool
}
