package store

import (
	"time"

	"mintmark/internal/domain/audit"
)

// Trail is the record of all acts as operators read it: the newest first, sealed or not.
type Trail interface {
	// List returns the newest entries that a query asks for. Their sequences are not filled in.
	List(q TrailQuery) ([]LogEntry, error)
	// ListSequences returns the sequences of rows, by their numbers. A row that is not sealed has
	// none.
	ListSequences(rows []int) (map[int]int, error)
	// FindRow returns the number of the first row whose act was not before a moment, and the number
	// behind the last row when there is none. Rows follow their moments but for some minutes.
	FindRow(since time.Time) (int, error)
}

// TrailQuery asks for entries. What is left at zero asks for nothing; of Subject, Actor, and
// Programs with Banks, the first that is set is looked up, and what the others ask for is left to
// the caller. Only a Subject that is a card, which is looked up in each of the Programs, needs two.
type TrailQuery struct {
	From, Below int // numbers of rows: from this one on, and below that one; 0 for all
	Limit       int // at least 1

	Subject audit.Subject
	Actor   string // the name of an actor that is no API key
	// Programs are those that entries belong to. Banks are those that entries without a program
	// belong to.
	Programs, Banks []int
}
