// Package feed takes customers, accounts, access and balances from a core banking system, and gives
// the same rows back. It owns the form of the rows, says line by line what is wrong with them, and
// applies them in chunks beside a server, each file of a source once. Cards made elsewhere are
// brought in the same way, by files of their own (ImportCards). The rules of what is fed belong to
// the packages customer and card, and the chunks between other writers to package importer.
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

// Head is the first line of a file: whose rows follow, and which file of that source this is.
type Head struct {
	Source    string
	ProgramID int
	Sequence  int
}

// maxSource is how long the name of a source may be.
const maxSource = 50

// Rules tells what each member of a head must be.
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

// FileReplaced is the destructive change to give a file up that is applied in part.
const FileReplaced = "file-replaced"

// DestructiveChanges are those that a feed makes only when they are accepted by name.
var DestructiveChanges = func() entity.Destructive {
	changes := entity.DestructiveChanges.Only(
		entity.AccountMoved, entity.AccountType, entity.CustomerErased)
	changes[FileReplaced] = "replace a file that is applied in part by another one"
	return changes
}()

// Options say how a file is applied.
type Options struct {
	// Actor is who feeds, for the audit.
	Actor audit.Actor
	// Accept has the names of the destructive changes that the operator accepts.
	Accept []string

	// ExternalCommits and InServer are those of importer.Throttle.
	ExternalCommits func() int64
	InServer        bool

	// Admit returns store.ErrNotFound for a program that the operator does not see; nil lets
	// everybody feed every program.
	Admit func(programID int) error

	// Guard is asked before the first row of a file is applied, once nothing is wrong with it; nil
	// lets everybody begin a file.
	Guard func(Head) error

	// DryRun checks everything and writes nothing. Tell is then called with each change.
	DryRun bool
	Tell   func(Change)
}

// The kinds of rows, which are also the names under which they are counted.
const (
	customers = "customers"
	accounts  = "accounts"
	access    = "access"
	balances  = "balances"
	cards     = "cards"
)

// Lists are the names under which rows are counted, in order.
var Lists = []string{customers, accounts, access, balances, cards}

// Report tells what came of a file.
type Report struct {
	Head   `json:"-"`
	Digest string `json:"sha256"`

	Counts importer.Counts `json:"counts"`
	// After is the line behind which the file went on, because an earlier run had broken off.
	After  int     `json:"after,omitempty"`
	Totals *Totals `json:"totals,omitempty"` // nil where the file has none
	// Erased is how many rows would have given an erased customer its data again: see erased.go.
	Erased int `json:"erased,omitempty"`

	// Repeated says that the file was applied before, and that nothing was done.
	Repeated bool `json:"-"`
}

// Differs reports whether the totals of the file are other ones than those that are kept.
func (r *Report) Differs() bool { return r.Totals != nil && r.Totals.differ() }

// Imported is how many cards were brought in.
func (r *Report) Imported() int {
	if r.Counts[cards] == nil {
		return 0
	}
	return r.Counts[cards].Added
}

// Lines tells the counts, a list on each line, and the totals.
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

// clock is that of importer.Throttle; tests set it.
var clock = time.Now

// stateOf returns how far a source is, with a zero revision before its first file. Sources differ
// by more than letter case; those of a version before, that do not, are told apart by their very
// names.
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
