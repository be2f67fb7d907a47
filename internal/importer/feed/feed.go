// Package feed takes customers, accounts, access and balances from a core banking system, and
// exports the same rows. It owns the format of the rows, reports their problems line by line, and
// applies them in chunks beside a server, each file of a source once. Cards that were issued
// elsewhere are imported in the same way, from separate files (ImportCards). The rules of what is
// fed belong to the packages customer and card, and the chunks between other writers to package
// importer.
//
//	importer.Rows -> Run (run.go) -> check (check.go): every row, nothing is written
//	                              -> apply (apply.go): the rows that differ, in chunks
//	                              -> totals (totals.go)
//	row (row.go) -> customer.go, account.go, access.go: compare with the store, and put
//	card row (cardrow.go) -> card.go: check against the store, and put
//	                erased.go: what is not taken of people who were erased
package feed

import (
	"fmt"
	"strings"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// Head is the first line of a file: the source of the rows, their program, and the sequence number
// of the file within its source.
type Head struct {
	Source    string
	ProgramID int
	Sequence  int
}

// maxSource is the maximum length of the name of a source.
const maxSource = 50

// Rules validates the members of a head.
func (h Head) Rules(r *problem.Rules) {
	r.Name("source", h.Source, maxSource)
	wrong := ""
	if strings.TrimSpace(h.Source) != h.Source {
		wrong = "must not begin or end with a space"
	}
	r.Must("source", "without spaces at its ends, in any letter case", wrong)
	r.ID("programId", h.ProgramID)
	r.ID("sequence", h.Sequence)
}

// FileReplaced is the destructive change that abandons a partly applied file.
const FileReplaced = "file-replaced"

// DestructiveChanges lists the changes that a feed makes only when the operator accepts them by
// name.
var DestructiveChanges = func() entity.Destructive {
	changes := entity.DestructiveChanges.Only(
		entity.AccountMoved, entity.AccountType, entity.CustomerErased)
	changes[FileReplaced] = "replace a file that is applied in part by another one"
	return changes
}()

// Options configures how a file is applied.
type Options struct {
	// Actor feeds the file, for the audit.
	Actor audit.Actor
	// Accept lists the destructive changes that the operator accepts, by name.
	Accept []string

	// ExternalCommits and InServer are passed to importer.Throttle.
	ExternalCommits func() int64
	InServer        bool

	// Admit returns store.ErrNotFound for a program outside the operator's scope. If nil, every
	// program may be fed.
	Admit func(programID int) error

	// Guard is called once the whole file is valid, before its first row is applied; an error stops
	// the run. If nil, every file may begin.
	Guard func(Head) error

	// DryRun checks everything and writes nothing. Tell is then called with each change.
	DryRun bool
	Tell   func(Change)
}

// The kinds of rows, which are also the names of their counts.
const (
	customers = "customers"
	accounts  = "accounts"
	access    = "access"
	balances  = "balances"
	cards     = "cards"
)

// Lists lists the names of the counts in the order of reports.
var Lists = []string{customers, accounts, access, balances, cards}

// Report is the result of applying a file.
type Report struct {
	Head   `json:"-"`
	Digest string `json:"sha256"`

	Counts importer.Counts `json:"counts"`
	// After is the line after which the file was resumed, because an earlier run had broken off.
	After  int     `json:"after,omitempty"`
	Totals *Totals `json:"totals,omitempty"` // nil if the file has none
	// Erased is the number of rows that would have restored the data of an erased customer: see
	// erased.go.
	Erased int `json:"erased,omitempty"`

	// Repeated reports that the file was applied before, so nothing was done.
	Repeated bool `json:"-"`
}

// Differs reports whether the totals of the file differ from those of the store.
func (r *Report) Differs() bool { return r.Totals != nil && r.Totals.differ() }

// Imported returns the number of imported cards.
func (r *Report) Imported() int {
	if r.Counts[cards] == nil {
		return 0
	}
	return r.Counts[cards].Added
}

// Lines returns the counts, one list a line, and the totals as text.
func (r *Report) Lines() []string {
	lines := r.Counts.Lines(Lists)
	if r.Erased > 0 {
		lines = append(lines, fmt.Sprintf("erased    %d rows name customers who were erased; "+
			"their personal data was left out", r.Erased))
	}
	if r.Totals != nil {
		lines = append(lines, r.Totals.lines()...)
	}
	return lines
}

// clock is the clock of importer.Throttle; tests replace it.
var clock = time.Now

// stateOf returns the state of a source, with revision 0 before its first file. New sources must
// differ by more than letter case; sources of an earlier version that do not are told apart by
// their exact names.
func stateOf(r store.Tx, of Head) (store.Feed, error) {
	feed, err := r.Feeds().Find(of.ProgramID, of.Source)
	missing, err := store.IsMissing(err)
	if !missing {
		return feed, err
	}
	all, err := r.Feeds().List(of.ProgramID)
	for _, state := range all {
		if strings.EqualFold(state.Source, of.Source) {
			return state, err
		}
	}
	return store.Feed{ProgramID: of.ProgramID, Source: of.Source}, err
}
