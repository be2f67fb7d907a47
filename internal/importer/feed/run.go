package feed

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"mintmark/internal/base/progress"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// SequenceError is returned for a file that is not the next one of its source.
type SequenceError struct {
	Head
	Expected int
	Text     string
}

// Error returns the text, which tells the expected file.
func (e *SequenceError) Error() string { return e.Text }

// Run applies a file. It first checks everything and returns an *importer.Problems if anything is
// wrong; then it puts the rows that differ, in chunks that let other writers in. If the run breaks
// off, the rows applied so far stay, and sending the same file again resumes after them.
func Run(ctx context.Context, kept importer.Store, file *importer.Rows, o Options) (*Report, error) {
	return runFile(ctx, kept, file, nil, o)
}

// runFile is Run with a vault, which is set if the rows are cards.
func runFile(
	ctx context.Context, kept importer.Store, file *importer.Rows, vault entity.Vault, o Options,
) (*Report, error) {
	throttle := &importer.Throttle{
		Store: kept, ExternalCommits: o.ExternalCommits, InServer: o.InServer, Clock: clock,
	}
	problems := importer.NewProblems(file.Name)
	from := file.Lines(0, 1)
	head, err := readHead(from, problems)
	if err != nil {
		return nil, err
	}
	if o.Admit != nil {
		missing, err := store.IsMissing(o.Admit(head.ProgramID))
		if missing {
			problems.Add(1, "programId", "there is no program %d", head.ProgramID)
			err = problems.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	p := &pass{
		head: head, options: o, vault: vault, problems: problems, known: newNotes(),
		report: &Report{Head: head, Digest: file.Digest, Counts: make(importer.Counts)},
		sum:    file.Digest,
	}
	if vault != nil { // a plain SHA-256 would reveal the number in a file of one card
		p.report.Digest = hex.EncodeToString(vault.DigestFile(file.Digest))
	}
	state, err := p.begin(ctx, throttle)
	if err != nil {
		return nil, err
	}
	repeated, err := p.checkSequence(state)
	if err != nil {
		return nil, err
	}
	if repeated {
		return p.repeat(ctx, throttle, state)
	}
	resumes := state.Running != 0 && p.isOf(state)
	if !resumes {
		state.Line = 0
	} else if state.Line > 1 { // an approved file begins after its first line
		p.report.After = state.Line
	}
	progress.Expect(ctx, file.Size)
	c, err := p.check(ctx, from, throttle, state.Line)
	if err == nil {
		err = file.CheckUnchanged()
	}
	if err != nil {
		return nil, err
	}
	if c.totals != nil {
		p.report.Totals = totalsOf(*c.totals)
	}
	if o.Guard != nil && !o.DryRun && !resumes {
		if err := o.Guard(head); err != nil {
			return p.report, err
		}
	}
	if !o.DryRun {
		a := &applying{pass: p.writing(), file: file, throttle: throttle, state: state}
		if err := a.apply(ctx, c.batches); err != nil {
			return nil, err
		}
		c.add = customer.AccountTotals{}
	}
	return p.report, p.compare(ctx, throttle, c.add)
}

// writing returns the pass that puts what this one has checked.
func (p *pass) writing() *pass {
	w := *p
	w.known, w.options.Tell = nil, nil
	return &w
}

// begin reads the program and the state of the source.
func (p *pass) begin(ctx context.Context, throttle *importer.Throttle) (store.Feed, error) {
	return store.ViewOf(ctx, throttle, func(r store.Tx) (store.Feed, error) {
		prog, err := r.Programs().Find(p.head.ProgramID)
		missing, err := store.IsMissing(err)
		if missing {
			p.problems.Add(1, "programId", "there is no program %d", p.head.ProgramID)
			return store.Feed{}, p.problems.Err()
		}
		if err != nil {
			return store.Feed{}, err
		}
		p.decimals = prog.Settings.DecimalCount
		return stateOf(r, p.head)
	})
}

// checkSequence reports whether the file was applied before, and returns a SequenceError if it
// neither was nor is the next one.
func (p *pass) checkSequence(state store.Feed) (repeated bool, err error) {
	next := state.Sequence + 1
	wrong := func(format string, args ...any) error {
		return &SequenceError{
			Head: p.head, Expected: next, Text: fmt.Sprintf(format, args...),
		}
	}
	same := p.isOf(state)
	switch {
	case p.head.Sequence == state.Sequence && state.Running == 0 && same:
		return true, nil
	case p.head.Sequence != next:
		return false, wrong("The sequence %d of %s is expected, not %d.", next, p.head.Source,
			p.head.Sequence)
	case state.Running != 0 && !same && !slices.Contains(p.options.Accept, FileReplaced):
		return false, wrong("Another file with the sequence %d of %s is applied up to line %d. "+
			"Send that one again, or accept %s.", next, p.head.Source, state.Line, FileReplaced)
	}
	return false, nil
}

// isOf reports whether the state belongs to this file. Earlier versions stored the SHA-256 of a
// file of cards, too.
func (p *pass) isOf(state store.Feed) bool {
	return state.Digest == p.report.Digest || state.Digest == p.sum
}

// repeat returns the report of a file that was applied before. It compares the totals if that run
// broke off after its last row.
func (p *pass) repeat(
	ctx context.Context, throttle *importer.Throttle, state store.Feed,
) (*Report, error) {
	p.report.Repeated = true
	if err := json.Unmarshal(state.Report, p.report); err != nil {
		return nil, fmt.Errorf("read the report of %s %d: %w", p.head.Source, p.head.Sequence, err)
	}
	return p.report, p.compare(ctx, throttle, customer.AccountTotals{})
}

func (r *Report) text() ([]byte, error) { return json.Marshal(r) }
