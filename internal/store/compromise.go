package store

import (
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
)

// Compromises are the lists of compromised card numbers and the cards with these numbers.
type Compromises interface {
	Find(id int) (compromise.List, error)
	// FindSame returns the list of a program with the same act and digest.
	FindSame(programID int, act compromise.Act, digest string) (compromise.List, error)
	// List returns lists, newest first.
	List(of CompromiseQuery) ([]compromise.List, error)
	// ListOpen returns the lists that are not done, oldest first.
	ListOpen() ([]compromise.List, error)
	// ListRunning returns the numbers of the running lists, oldest first.
	ListRunning() ([]int, error)
	// Put inserts a list, whose ID must be 0, under the next number, or replaces the revision that
	// was read. It fails with ErrExists when the program has another list with the same act and
	// digest.
	Put(l *compromise.List) error
	// Delete deletes a list at the revision that was read, with its cards. The number is never
	// reused.
	Delete(l compromise.List) error

	// ListCards returns one batch of the cards of a list: at most compromise.Batch cards, starting
	// at place, which must be a multiple of it.
	ListCards(id, place int) ([]compromise.Card, error)
	// PutCards inserts or replaces a batch.
	PutCards(id, place int, cards []compromise.Card) error
}

// CompromiseQuery selects lists.
type CompromiseQuery struct {
	Programs []int // nil for all
	Before   int   // lists with smaller numbers; 0 for all
	Limit    int   // never 0
}

// NumberedCard is a card that was found by its PAN.
type NumberedCard struct {
	ID     int
	Status card.Status
	Used   int // last day on which its creator paid or withdrew, such as 20260131; 0 for none
}
