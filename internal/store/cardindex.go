package store

import (
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// CardIndex is how operators find cards, in all programs of the banks that they see. No act of a
// caller reads through it.
type CardIndex interface {
	// List returns cards, those with the greatest numbers first.
	List(of CardQuery) ([]CardSummary, error)
	// Count counts the cards of programs, of all for nil.
	Count(programIDs []int) (CardCounts, error)
}

// CardTexts are the search texts of cards, packed into blocks so that a million are searched in one
// go. CardIndex finds cards that are in no block yet, too.
type CardTexts interface {
	// FindNext returns the next block that is to be put. One without cards only moves the mark.
	FindNext() (CardBlock, error)
	// Put inserts a block. It fails with ErrExists when the block was put before.
	Put(b CardBlock) error
}

// CardBlock are the search texts of some cards, a line each.
type CardBlock struct {
	First, Last int // the smallest and the greatest number of a card
	Cards       int
	Text        []byte
	Late        bool // the cards were inserted under numbers that others had passed

	// NewestCard is the greatest number of a card when the block was found. A block without cards
	// puts it as the mark: what lay below the mark before is settled then. Marked is when the mark
	// was put last; it may move again when no transaction of that time can still insert a card.
	NewestCard int
	Marked     time.Time
}

// CardQuery says which cards are listed. A zero field does not restrict.
type CardQuery struct {
	Programs []int // those that the operator sees; nil for all

	CardID     int
	CustomerID int // who created or holds the card
	Status     card.Status
	LockType   card.LockType
	LockReason card.Reason
	Tag        string
	LastFour   string
	Text       string // a part of what CardSummary.SearchText returns, in any letter case

	Before int // cards with smaller numbers
	Limit  int // never 0
}

// CardSummary is a card as it stands in a list: without its accounts, and with its holder's name.
type CardSummary struct {
	ID, Revision, ProgramID int
	CustomerID, HolderID    int

	HolderFirst, HolderLast string // the name of the customer who holds the card

	Type, Vendor string
	BinID        int
	Status       card.Status
	Lock         card.Lock
	Tag          string
	NickName     string
	Name         card.Name
	LastFour     string
	ExpireMonth  int
	ExpireYear   int
	DigitalOnly  bool

	Created, Verified, Modified time.Time
}

// CardCounts are how many cards there are.
type CardCounts struct {
	ByStatus map[card.Status]int
	Locked   int
}

// CustomerIndex is how operators find customers and accounts.
type CustomerIndex interface {
	// List returns the numbers of customers in their order.
	List(of CustomerQuery) ([]int, error)
	// ListAccounts returns the numbers of accounts in their order.
	ListAccounts(of AccountQuery) ([]int, error)
}

// CustomerQuery says which customers are listed. A zero field does not restrict.
type CustomerQuery struct {
	Programs []int // nil for all
	Status   customer.Status
	Text     string // a part of the name, a telephone number or the number, in any letter case

	After int // customers with greater numbers
	Limit int // never 0
}

// AccountQuery says which accounts are listed. A zero field does not restrict.
type AccountQuery struct {
	Programs   []int // nil for all
	CustomerID int   // the owner
	Status     customer.AccountStatus
	Text       string // a part of the name, the tag, the masked number or the number

	After int // accounts with greater numbers
	Limit int // never 0
}

// Histories tell from the audit what operators see at a glance.
type Histories interface {
	// FindLock returns the newest entry that has changed the lock of a card.
	FindLock(programID, cardID int) (LogEntry, error)
	// Count counts the newest entries of all, at most limit, by the hour that they fall in: those
	// of programs, or for nil all. The latest hour stands first; an earliest one that may not be
	// counted whole is left out.
	Count(programIDs []int, limit int) ([]HourCount, error)
}

// HourCount is the number of entries of one hour.
type HourCount struct {
	Hour    time.Time
	Count   int
	Refused int // of them
}
