package store

import (
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/program"
)

// Issuance finds the data needed to order a new card.
type Issuance interface {
	// FindView returns everything that an order for a new card reads. It fails with ErrNotFound
	// when the creator does not exist; a holder or an account that does not exist is left out of
	// the view.
	FindView(of IssuanceQuery) (IssuanceView, error)
	// FindTaken reports, for cards that are not stored yet, which of their names other cards have.
	// The results are in the order of the given cards.
	FindTaken(of []UniqueValues) ([]Conflicts, error)
}

// IssuanceQuery names the customers and the account of an order for a new card.
type IssuanceQuery struct {
	ProgramID, CreatorID, HolderID, AccountID int

	// Names requests a lookup of the tag and the nickname among other cards. Both are unique in the
	// store, so an optimistic caller may skip it.
	Names    bool
	Tag      string // empty for a card without a tag
	NickName string

	// ProgramKnown omits the program from the view.
	ProgramKnown bool
}

// IssuanceView is what an order for a new card reads.
type IssuanceView struct {
	Creator customer.Customer
	Holder  customer.Standing // its ID is 0 when the program has no such customer
	Account customer.Account  // its ID is 0 when the program has no such account
	Access  customer.AccountAccess

	TagTaken bool // TagTaken and NickNameTaken are false unless Names was set
	// NickNameTaken reports that the creator has a usable card with that nickname, in any letter
	// case.
	NickNameTaken bool

	Program program.Issuing
}

// UniqueValues are the values that no two cards may share: ID and PAN in all programs, a tag within
// its program, and a nickname among the creator's usable cards.
type UniqueValues struct {
	CardID, ProgramID, CreatorID int
	Tag, NickName                string
	PAN                          digests.Number // without digests when unknown
}

// Conflicts reports which of the UniqueValues another card has.
type Conflicts struct {
	ProgramID          int // program of the card with the same ID, 0 when there is none
	Tag, NickName, PAN bool
}
