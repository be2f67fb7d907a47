package admin

import (
	"encoding/json"
	"time"
)

// FeedReport tells what came of the rows of a core banking system.
type FeedReport struct {
	Source    string `json:"source"`
	ProgramID int    `json:"programId"`
	Sequence  int    `json:"sequence"`
	Digest    string `json:"sha256"`

	// Repeated says that the same rows were applied before, and that nothing was done.
	Repeated bool `json:"repeated"`
	// After is the line behind which the rows went on, because an earlier request had broken off.
	After int `json:"after,omitempty"`
	// Erased is how many rows say something of a customer who was erased, which was left out.
	Erased int `json:"erased,omitempty"`

	Customers FeedTally `json:"customers"`
	Accounts  FeedTally `json:"accounts"`
	Access    FeedTally `json:"access"`
	Balances  FeedTally `json:"balances"`

	Totals      *FeedTotals `json:"totals,omitempty"`
	MoreChanges int         `json:"moreChanges,omitempty"` // of a dry run, that are not listed
}

// FeedTally is how many rows of a kind differed from what was kept.
type FeedTally struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// FeedTotals compare the control totals of the rows with what is kept.
type FeedTotals struct {
	Differ   bool         `json:"differ"`
	Accounts FeedAccounts `json:"accounts"`
	Balance  FeedBalance  `json:"balance"`
}

// FeedAccounts are how many accounts there are that are not closed.
type FeedAccounts struct {
	Core int `json:"core"`
	Here int `json:"here"`
}

// FeedBalance is the sum of their balances.
type FeedBalance struct {
	Core json.Number `json:"core"`
	Here json.Number `json:"here"`
}

// Feed is how far a source is with a program.
type Feed struct {
	Source    string      `json:"source"`
	ProgramID int         `json:"programId"`
	Sequence  int         `json:"sequence"`          // that was applied last, 0 before the first
	Running   int         `json:"running,omitempty"` // that is applied in part
	Line      int         `json:"line,omitempty"`    // up to which it is applied
	Digest    string      `json:"sha256"`
	Changed   time.Time   `json:"changed"`
	Last      *FeedReport `json:"last,omitempty"` // what the last one has done
}
