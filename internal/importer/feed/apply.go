package feed

import (
	"context"
	"errors"
	"fmt"

	"mintmark/internal/base/progress"
	"mintmark/internal/importer"
	"mintmark/internal/store"
)

// ErrTakenOver is returned when another run applies the same file and has advanced it.
var ErrTakenOver = errors.New("feed: another run is applying the file")

// applying is a run that applies a file. The state of the source is part of each transaction: it
// holds the last line that was applied, and its revision keeps a second run out.
type applying struct {
	*pass
	file     *importer.Rows
	throttle *importer.Throttle
	state    store.Feed
	begun    bool
}

// apply puts the rows that differ, one chunk per transaction, and advances the sequence in the last
// transaction. The store may have changed since the check, so every rule is checked again.
func (a *applying) apply(ctx context.Context, batches []batch) error {
	for _, next := range batches {
		progress.Expect(ctx, next.bytes)
	}
	for i, next := range batches {
		from := a.file.Lines(next.offset, next.line)
		got, _, err := a.readBatch(from, next.rows)
		if err != nil {
			return err
		}
		rows := rowsAfter(got.rows, a.state.Line)
		for len(rows) > 0 {
			taken, err := a.chunk(ctx, rows, i == len(batches)-1)
			if err != nil {
				return a.explain(err)
			}
			rows = rows[taken:]
		}
		progress.Add(ctx, next.bytes)
	}
	if a.state.Sequence == a.head.Sequence {
		return nil
	}
	_, err := a.chunk(ctx, nil, true)
	return a.explain(err)
}

// rowsAfter returns the rows after a line.
func rowsAfter(rows []row, line int) []row {
	for len(rows) > 0 && rows[0].line <= line {
		rows = rows[1:]
	}
	return rows
}

// chunk applies rows in one transaction until its time is up, and returns their number. Final
// reports whether these rows are the last ones.
func (a *applying) chunk(ctx context.Context, rows []row, final bool) (int, error) {
	taken, next := 0, a.state
	err := a.throttle.Update(ctx, func(tx store.Tx) error {
		a.enter(tx, tx)
		var err error
		taken, err = a.take(rows, a.throttle.Begin())
		if err := errors.Join(err, a.problems.Err()); err != nil {
			return err
		}
		if a.state.Revision == 0 { // another file may have begun the source, in another letter case
			begun, err := stateOf(tx, a.head)
			if err == nil && begun.Revision != 0 {
				err = store.ErrLostUpdate
			}
			if err != nil {
				return err
			}
		}
		next = a.state
		next.Running, next.Digest, next.Changed = a.head.Sequence, a.report.Digest, tx.Now()
		if taken > 0 {
			next.Line = rows[taken-1].line
		}
		done := final && taken == len(rows)
		if done {
			next.Sequence, next.Running, next.Line = a.head.Sequence, 0, 0
			next.Report, err = a.report.text()
		}
		if err == nil {
			err = tx.Feeds().Put(next)
		}
		if err == nil && (done || !a.begun) {
			err = a.audit(tx, done)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	next.Revision++
	a.state, a.begun = next, true
	return taken, nil
}

func (a *applying) audit(tx store.Tx, done bool) error {
	e := importer.File{Name: a.file.Name, Digest: a.report.Digest}.Entry(a.act(), a.options.Actor, tx.Now(),
		fmt.Sprintf("%s %d, %s", a.head.Source, a.head.Sequence, a.report.short()),
		a.options.Accept, done)
	e.ProgramID = a.head.ProgramID
	return tx.Audit().Put(e)
}

// explain wraps the error of a run that ends early with advice for the operator.
func (a *applying) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrExists) && a.vault != nil:
		return fmt.Errorf("a number, tag or nickname after line %d of %s was given to another "+
			"card meanwhile; send the file again to see which: %w", a.state.Line, a.file.Name, err)
	case errors.Is(err, store.ErrLostUpdate), errors.Is(err, store.ErrExists):
		return fmt.Errorf("%w: %w", ErrTakenOver, err)
	case a.begun || a.state.Running != 0:
		return fmt.Errorf("%s was applied up to line %d; send it again to continue: %w",
			a.file.Name, a.state.Line, err)
	case errors.Is(err, store.ErrUnknownOutcome):
		return fmt.Errorf("it is not known whether %s was applied; send it again: %w",
			a.file.Name, err)
	}
	return err
}
