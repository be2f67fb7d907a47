package admin

import (
	"encoding/json"
	"time"
)

// FeedReport is the result of a feed of rows from a core banking system.
type FeedReport struct {
	Source    string `json:"source"`
	ProgramID int    `json:"programId"`
	Sequence  int    `json:"sequence"`
	Digest    string `json:"sha256"`

	// Repeated reports that the same rows were applied before, so nothing was done.
	Repeated bool `json:"repeated"`
	// After is the line after which the feed continued, because an earlier request was interrupted.
	After int `json:"after,omitempty"`
	// Erased is the number of rows about erased customers, whose data was left out.
	Erased int `json:"erased,omitempty"`

	Customers FeedTally `json:"customers"`
	Accounts  FeedTally `json:"accounts"`
	Access    FeedTally `json:"access"`
	Balances  FeedTally `json:"balances"`

	Totals      *FeedTotals `json:"totals,omitempty"`
	MoreChanges int         `json:"moreChanges,omitempty"` // of a dry run: how many are not listed
}

// FeedTally counts the rows of one kind by how they differed from the stored data.
type FeedTally struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// FeedTotals compares the control totals of the rows with those of the stored data.
type FeedTotals struct {
	Differ   bool         `json:"differ"`
	Accounts FeedAccounts `json:"accounts"`
	Balance  FeedBalance  `json:"balance"`
}

// FeedAccounts is the number of accounts that are not closed.
type FeedAccounts struct {
	Core int `json:"core"`
	Here int `json:"here"`
}

// FeedBalance is the sum of the balances of these accounts.
type FeedBalance struct {
	Core json.Number `json:"core"`
	Here json.Number `json:"here"`
}

// Feed is the progress of a source in a program.
type Feed struct {
	Source    string      `json:"source"`
	ProgramID int         `json:"programId"`
	Sequence  int         `json:"sequence"`          // last one applied; 0 before the first
	Running   int         `json:"running,omitempty"` // sequence that is partly applied
	Line      int         `json:"line,omitempty"`    // last line of it that was applied
	Digest    string      `json:"sha256"`
	Changed   time.Time   `json:"changed"`
	Last      *FeedReport `json:"last,omitempty"` // report of the last sequence
}
