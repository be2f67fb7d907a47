package admin

import "time"

// CardImport tells what came of a file of cards that were made elsewhere.
type CardImport struct {
	Source    string `json:"source"`
	ProgramID int    `json:"programId"`
	Sequence  int    `json:"sequence"`
	Digest    string `json:"sha256"`
	Cards     int    `json:"cards"` // that were brought in, by this request alone

	// Repeated says that the same file was applied before, and that nothing was done.
	Repeated bool `json:"repeated"`
	// After is the line behind which the file went on, because an earlier request had broken off.
	After int `json:"after,omitempty"`
}

// NewCompromise is a list of compromised card numbers. The reason stands beside it.
type NewCompromise struct {
	Name      string   `json:"name"`
	ProgramID int      `json:"programId"`
	Numbers   []string `json:"numbers"`
	Act       string   `json:"act"` // lock or replace
	PerDay    int      `json:"perDay"`
	DryRun    bool     `json:"dryRun,omitempty"` // as dryRun of the query
}

// Compromise tells what is done about a list of compromised card numbers.
type Compromise struct {
	ID        int       `json:"id,omitempty"` // absent from a dry run
	ProgramID int       `json:"programId"`
	Name      string    `json:"name"`
	Act       string    `json:"act"`
	PerDay    int       `json:"perDay,omitempty"`
	Reason    string    `json:"reason"`
	Made      time.Time `json:"made"`
	By        string    `json:"by"`
	Digest    string    `json:"digest"` // keyed, of the numbers

	Numbers  int            `json:"numbers"` // different ones
	Unknown  int            `json:"unknown"` // those of no card of the program
	Cards    int            `json:"cards"`
	Statuses map[string]int `json:"statuses"` // of the cards when they were found

	State   string    `json:"state"`   // waiting, running, paused or done
	Waiting int       `json:"waiting"` // cards that are not handled yet
	Done    int       `json:"done"`
	Left    int       `json:"left"`    // whose numbers were dead already
	Refused int       `json:"refused"` // by a rule
	Changed time.Time `json:"changed"`

	// Repeated says that the same numbers were reported before, and that nothing was done.
	Repeated bool `json:"repeated,omitempty"`
}
