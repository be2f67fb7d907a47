package store

import (
	"time"

	"mintmark/internal/domain/customer"
)

// Feeds are the sources that feed customers and accounts into programs, with the progress of each.
type Feeds interface {
	Find(programID int, source string) (Feed, error)
	// List returns the feeds of a program by source name.
	List(programID int) ([]Feed, error)
	// Put inserts a feed, or replaces the revision that was read.
	Put(f Feed) error
	// Count totals the accounts of a program that are not closed.
	Count(programID int) (customer.AccountTotals, error)
	// CountCards counts the cards that draw on an account and are not in a final status.
	CountCards(accountID int) (int, error)
	// CountUses counts what a customer still has.
	CountUses(customerID int) (customer.Uses, error)
}

// Feed is the progress of a source in a program.
type Feed struct {
	ProgramID int
	Source    string

	Sequence int    // of the file that was last applied, 0 before the first
	Running  int    // sequence of the file that is being applied, 0 for none
	Digest   string // SHA-256 of the running file, or else of the last one
	Line     int    // line up to which the running file is applied
	Report   []byte // JSON: the changes by the last file, and the comparison of its totals
	Changed  time.Time

	Revision int // counts the changes of the stored row; 0 for a new one
}
