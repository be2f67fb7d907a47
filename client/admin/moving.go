package admin

import "time"

// CardImport is the result of importing a file of cards that were issued elsewhere.
type CardImport struct {
	Source    string `json:"source"`
	ProgramID int    `json:"programId"`
	Sequence  int    `json:"sequence"`
	Digest    string `json:"sha256"`
	Cards     int    `json:"cards"` // imported by this request alone

	// Repeated reports that the same file was applied before, so nothing was done.
	Repeated bool `json:"repeated"`
	// After is the line after which the import continued, because an earlier request was
	// interrupted.
	After int `json:"after,omitempty"`
}

// NewCompromise is a list of compromised card numbers. The reason is sent separately.
type NewCompromise struct {
	Name      string   `json:"name"`
	ProgramID int      `json:"programId"`
	Numbers   []string `json:"numbers"`
	Act       string   `json:"act"` // lock or replace
	PerDay    int      `json:"perDay"`
	DryRun    bool     `json:"dryRun,omitempty"` // like dryRun in the query
}

// Compromise is the state of a list of compromised card numbers and of its cards.
type Compromise struct {
	ID        int       `json:"id,omitempty"` // absent from a dry run
	ProgramID int       `json:"programId"`
	Name      string    `json:"name"`
	Act       string    `json:"act"`
	PerDay    int       `json:"perDay,omitempty"`
	Reason    string    `json:"reason"`
	Made      time.Time `json:"made"`
	By        string    `json:"by"`
	Digest    string    `json:"digest"` // keyed digest of the card numbers

	Numbers  int            `json:"numbers"` // distinct
	Unknown  int            `json:"unknown"` // of no card of the program
	Cards    int            `json:"cards"`
	Statuses map[string]int `json:"statuses"` // of the cards when they were found

	State   string    `json:"state"`   // waiting, running, paused or done
	Waiting int       `json:"waiting"` // cards still to handle
	Done    int       `json:"done"`
	Left    int       `json:"left"`    // cards whose numbers were dead already
	Refused int       `json:"refused"` // cards that a rule rejected
	Changed time.Time `json:"changed"`

	// Repeated reports that the same card numbers were reported before, so nothing was done.
	Repeated bool `json:"repeated,omitempty"`
}
