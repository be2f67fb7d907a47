package admin

import "time"

// Reconciliation tells what came of comparing a list with what is kept of its program: the cards
// with a list of the card processor, or the balances with a list of the core banking system.
type Reconciliation struct {
	ID        int       `json:"id,omitempty"` // absent from a dry run
	ProgramID int       `json:"programId"`
	Kind      string    `json:"kind"`
	At        time.Time `json:"at"`   // as of which the list is
	Made      time.Time `json:"made"` // when it was compared
	By        string    `json:"by"`
	Digest    string    `json:"sha256"`

	Compared  int `json:"compared"`
	Equal     int `json:"equal"`
	InFlight  int `json:"inFlight"`  // what differs only by what the list lacks
	Different int `json:"different"` // cards or accounts

	Sorts ReconciledSorts `json:"sorts"`
	// Differences are those with the smallest numbers, at most 1000. Only the report itself has
	// them, and no list of reports.
	Differences     []ReconciledDifference `json:"differences,omitempty"`
	MoreDifferences int                    `json:"moreDifferences,omitempty"`
}

// ReconciledSorts count differences by their sort. A card may have several.
type ReconciledSorts struct {
	MissingHere  int `json:"missingHere"`
	MissingThere int `json:"missingThere"`
	State        int `json:"state"`
	LastFour     int `json:"lastFour"`
	Expiry       int `json:"expiry"`
	Balance      int `json:"balance"`
}

// ReconciledDifference is one difference between the list and what is kept here.
type ReconciledDifference struct {
	Sort      string `json:"sort"`
	CardID    int    `json:"cardId,omitempty"`
	AccountID int    `json:"accountId,omitempty"`
	Here      string `json:"here,omitempty"`
	There     string `json:"there,omitempty"`
	// Available and Holds are the available balance here, and the sum of the holds that lower it.
	Available string `json:"available,omitempty"`
	Holds     string `json:"holds,omitempty"`
}

// OrderReport tells what became of the orders of a program that were written in a span, and which
// the processor has not answered.
type OrderReport struct {
	ProgramID int       `json:"programId"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`

	Kinds []OrderTally `json:"kinds"`

	// OldestUnanswered is when the oldest order was written that waits or is sent.
	OldestUnanswered *time.Time `json:"oldestUnanswered,omitempty"`
	// Unanswered are those that were written more than an hour ago, at most 100, the oldest first.
	Unanswered     []Order `json:"unanswered"`
	MoreUnanswered bool    `json:"moreUnanswered"`
	// Failed are those of the span that were refused or given up, at most 100.
	Failed     []Order `json:"failed"`
	MoreFailed bool    `json:"moreFailed"`
}

// OrderTally says what became of the orders of a kind.
type OrderTally struct {
	Kind         string `json:"kind"`
	Written      int    `json:"written"`
	Waiting      int    `json:"waiting"`
	Held         int    `json:"held"`
	Sent         int    `json:"sent"` // accepted, or in a file to be fetched; the outcome is to come
	Done         int    `json:"done"`
	Acknowledged int    `json:"acknowledged"` // done, or sent and not in a file to be fetched
	Failed       int    `json:"failed"`       // refused by the processor, or given up
	Dropped      int    `json:"dropped"`      // by an operator
}
