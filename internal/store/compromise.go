package store

import (
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
)

// Compromises are the lists of compromised card numbers, with the cards they belong to.
type Compromises interface {
	Find(id int) (compromise.List, error)
	// FindSame returns the list of a program with an act and a digest.
	FindSame(programID int, act compromise.Act, digest string) (compromise.List, error)
	// List returns lists, the newest first.
	List(of CompromiseQuery) ([]compromise.List, error)
	// ListOpen returns the lists that are not done, the oldest first.
	ListOpen() ([]compromise.List, error)
	// ListRunning returns the numbers of the lists that run, the oldest first.
	ListRunning() ([]int, error)
	// Put inserts a list, whose ID must be 0, under the next number, or replaces the revision that
	// was read. A second list of a program with the same act and digest is ErrExists.
	Put(l *compromise.List) error
	// Delete deletes the revision that was read of a list, with its cards. Its number is not given
	// again.
	Delete(l compromise.List) error

	// ListCards returns a batch of the cards of a list: at most compromise.Batch, from a place on
	// that is a multiple of it.
	ListCards(id, place int) ([]compromise.Card, error)
	// PutCards inserts or replaces a batch.
	PutCards(id, place int, cards []compromise.Card) error
}

// CompromiseQuery says which lists are listed.
type CompromiseQuery struct {
	Programs []int // nil for all
	Before   int   // lists with smaller numbers; 0 for all
	Limit    int   // never 0
}

// NumberedCard is a card that was found by its number.
type NumberedCard struct {
	ID     int
	Status card.Status
	Used   int // the last day on which its creator has paid or withdrawn, 20260131; 0 for none
}
