package store

import (
	"time"

	"mintmark/internal/domain/customer"
)

// Feeds are the sources that feed customers and accounts into programs, each with how far it is.
type Feeds interface {
	Find(programID int, source string) (Feed, error)
	// List returns the feeds of a program by the names of their sources.
	List(programID int) ([]Feed, error)
	// Put inserts a feed, or replaces the revision that was read.
	Put(f Feed) error
	// Count adds up the accounts of a program that are not closed.
	Count(programID int) (customer.AccountTotals, error)
	// CountCards counts the cards that draw on an account and are not at their end.
	CountCards(accountID int) (int, error)
	// CountUses counts what a customer still has.
	CountUses(customerID int) (customer.Uses, error)
}

// Feed is the progress of a source in a program.
type Feed struct {
	ProgramID int
	Source    string

	Sequence int    // of the file that was applied last, 0 before the first
	Running  int    // of the file that is being applied, 0 for none
	Digest   string // SHA-256 of the one that runs, or else of the last
	Line     int    // of the one that runs: the lines up to here are applied
	Report   []byte // JSON: what the last one has changed, and how the totals compare
	Changed  time.Time

	Revision int // counts the changes of the stored row; 0 when it is new
}
