package admin

import "time"

// Reconciliation is the result of comparing a list with the stored data of a program: the cards
// with a list of the card processor, or the balances with a list of the core banking system.
type Reconciliation struct {
	ID        int       `json:"id,omitempty"` // absent from a dry run
	ProgramID int       `json:"programId"`
	Kind      string    `json:"kind"`
	At        time.Time `json:"at"`   // time that the list describes
	Made      time.Time `json:"made"` // time of the comparison
	By        string    `json:"by"`
	Digest    string    `json:"sha256"`

	Compared  int `json:"compared"`
	Equal     int `json:"equal"`
	InFlight  int `json:"inFlight"`  // differ only because of the list's age
	Different int `json:"different"` // cards or accounts

	Sorts ReconciledSorts `json:"sorts"`
	// Differences are those with the smallest numbers, at most 1000 of each sort. They are in the
	// report itself, but not in lists of reports.
	Differences     []ReconciledDifference `json:"differences,omitempty"`
	MoreDifferences int                    `json:"moreDifferences,omitempty"`
}

// ReconciledSorts counts the differences by sort. A card may have several.
type ReconciledSorts struct {
	MissingHere  int `json:"missingHere"`
	MissingThere int `json:"missingThere"`
	State        int `json:"state"`
	LastFour     int `json:"lastFour"`
	Expiry       int `json:"expiry"`
	Balance      int `json:"balance"`
}

// ReconciledDifference is one difference between the list and the stored data.
type ReconciledDifference struct {
	Sort      string `json:"sort"`
	CardID    int    `json:"cardId,omitempty"`
	AccountID int    `json:"accountId,omitempty"`
	Here      string `json:"here,omitempty"`
	There     string `json:"there,omitempty"`
	// Available is the stored available balance, Holds the sum of the holds that lower it.
	Available string `json:"available,omitempty"`
	Holds     string `json:"holds,omitempty"`
}

// OrderReport describes what became of the orders that a program wrote in a time span, and which
// ones the processor has not answered.
type OrderReport struct {
	ProgramID int       `json:"programId"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`

	Kinds []OrderTally `json:"kinds"`

	// OldestUnanswered is the time at which the oldest order that is waiting or sent was written.
	OldestUnanswered *time.Time `json:"oldestUnanswered,omitempty"`
	// Unanswered are those written more than an hour ago, at most 100, oldest first.
	Unanswered     []Order `json:"unanswered"`
	MoreUnanswered bool    `json:"moreUnanswered"`
	// Failed are those of the span that were rejected or given up, at most 100.
	Failed     []Order `json:"failed"`
	MoreFailed bool    `json:"moreFailed"`
}

// OrderTally counts the orders of one kind by state.
type OrderTally struct {
	Kind         string `json:"kind"`
	Written      int    `json:"written"`
	Waiting      int    `json:"waiting"`
	Held         int    `json:"held"`
	Sent         int    `json:"sent"` // accepted, or in a file to fetch; the result is pending
	Done         int    `json:"done"`
	Acknowledged int    `json:"acknowledged"` // done, or sent and not in a file to fetch
	Failed       int    `json:"failed"`       // rejected by the processor, or given up
	Dropped      int    `json:"dropped"`      // by an operator
}
