package store

import (
	"time"

	"mintmark/internal/domain/audit"
)

// Trail is the record of all acts as operators read it: newest first, sealed or not.
type Trail interface {
	// List returns the newest entries that match a query, without their sequences.
	List(q TrailQuery) ([]LogEntry, error)
	// ListSequences returns the sequences of rows, by row number. Rows that are not sealed are
	// omitted.
	ListSequences(rows []int) (map[int]int, error)
	// FindRow returns the number of the first row whose act was not before a time, or the number
	// after the last row when there is none. Rows are in time order, except for differences of some
	// minutes.
	FindRow(since time.Time) (int, error)
}

// TrailQuery selects entries. A zero field does not select. Of Subject, Actor, and Programs with
// Banks, List looks up only the first that is set, and the caller applies the others. Exception: a
// Subject that is a card is looked up in each of the Programs, so it needs both.
type TrailQuery struct {
	From, Below int // row numbers, From included and Below excluded; 0 for all
	Limit       int // at least 1

	Subject audit.Subject
	Actor   string // name of an actor that is not an API key
	// Programs selects entries of these programs. Banks selects entries without a program of these
	// banks.
	Programs, Banks []int
}
