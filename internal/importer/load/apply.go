package load

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mintmark/internal/base/progress"
	"mintmark/internal/domain/audit"
	"mintmark/internal/importer"
	"mintmark/internal/store"
)

// Store is the part of the store that loading needs.
type Store = importer.Store

// singleTxEntries is the maximum number of entries that are written in one transaction, all or
// none. It counts all entries of each batch that differs from the store.
const singleTxEntries = 500

// atOnceBytes is the maximum size of the documents in that transaction.
const atOnceBytes = 4 << 20

// Load makes a store match the file. It first checks everything and returns a *Problems if anything
// is wrong; then it writes the entries that differ. A large file is written in chunks that let
// other writers in. If a chunk fails, the chunks before it stay, and loading the file again
// continues from there.
func (d *Data) Load(ctx context.Context, kept Store, o Options) (*Report, error) {
	p := newPass(d, o)
	throttle := &importer.Throttle{
		Store: kept, ExternalCommits: o.ExternalCommits, Clock: clock,
	}
	if err := p.check(ctx, throttle); err != nil {
		return nil, err
	}
	if o.DryRun {
		return p.report, nil
	}
	w := &pass{
		Data: d, options: o, problems: p.problems, known: p.known, report: newReport(),
		checked: true,
	}
	w.options.Tell = nil
	return p.report, w.write(ctx, throttle, p.report)
}

// Write makes a store match the file within the caller's transaction, which must be rolled back
// after an error. It accepts weak secrets and plain PINs: it is meant for sandboxes.
func (d *Data) Write(tx store.Tx, v Vault, random io.Reader, ending string) error {
	return d.writeIn(tx, Options{
		Vault: v, Random: random, Ending: ending, Sandbox: true,
		Actor: audit.Actor{Kind: audit.CommandLine, Name: "sandbox"},
	})
}

func (d *Data) writeIn(tx store.Tx, o Options) error {
	p := newPass(d, o)
	if err := p.known.read(tx); err != nil {
		return err
	}
	for _, next := range d.parts() {
		if err := p.enter(tx, tx); err != nil {
			return err
		}
		if _, err := p.take(next.kind, next.items(p.problems), nil); err != nil {
			return err
		}
		p.report.add(p.out)
	}
	p.finish()
	if err := p.problems.Err(); err != nil {
		return err
	}
	return p.auditLoad(tx, p.report, true)
}

// part is a batch with the kind of its entries.
type part struct {
	kind
	*batch
}

// parts returns the batches of all lists in processing order.
func (d *Data) parts() []part {
	var all []part
	for _, k := range kinds {
		for _, b := range d.lists[k.name] {
			all = append(all, part{kind: k, batch: b})
		}
	}
	return all
}

// check compares the file with the store, and records the problems and the batches that differ.
func (p *pass) check(ctx context.Context, throttle *importer.Throttle) error {
	if err := throttle.View(ctx, p.known.read); err != nil {
		return err
	}
	for _, next := range p.parts() {
		progress.Expect(ctx, int64(len(next.nodes)))
	}
	for _, next := range p.parts() {
		items := next.items(p.problems)
		next.differs = false
		err := throttle.View(ctx, func(r store.Tx) error {
			err := p.enter(r, nil)
			if err == nil {
				_, err = p.take(next.kind, items, nil)
			}
			return err
		})
		if err != nil {
			return err
		}
		p.leave(next.batch)
		progress.Add(ctx, int64(len(next.nodes)))
	}
	p.finish()
	p.report.Notes = append(p.report.Notes, p.problems.older.notes(p.name)...)
	return p.problems.Err()
}

// work is a part with the entries that remain to be written.
type work struct {
	part
	items []item
}

// write writes the batches that differ. The store may have changed since the check, so every rule
// is checked again.
func (p *pass) write(ctx context.Context, throttle *importer.Throttle, counted *Report) error {
	var differing []part
	entries, bytes := 0, 0
	for _, next := range p.parts() {
		if next.differs {
			differing = append(differing, next)
			entries += len(next.nodes)
			bytes += next.bytes
		}
	}
	if entries <= singleTxEntries && bytes <= atOnceBytes {
		return p.writeAtOnce(ctx, throttle, differing, counted)
	}
	progress.Expect(ctx, int64(entries))
	began := false
	for i, next := range differing {
		items := next.items(p.problems)
		for len(items) > 0 {
			taken := 0
			err := throttle.Update(ctx, func(tx store.Tx) error {
				var err error
				taken, err = p.writeSome(tx, work{next, items}, throttle.Begin())
				done := i == len(differing)-1 && taken == len(items)
				if err == nil && (done || !began) {
					err = p.auditLoad(tx, counted, done)
				}
				return err
			})
			if err != nil && began {
				return fmt.Errorf("%s was loaded in part; load it again to continue: %w",
					p.name, err)
			}
			if err != nil {
				return p.explainUnknown(err)
			}
			began = true
			items = items[taken:]
			progress.Add(ctx, int64(taken))
		}
	}
	return nil
}

// writeAtOnce writes everything in one transaction. It parses the entries before the transaction
// begins.
func (p *pass) writeAtOnce(
	ctx context.Context, throttle *importer.Throttle, differing []part, counted *Report,
) error {
	var all []work
	for _, next := range differing {
		all = append(all, work{next, next.items(p.problems)})
	}
	return p.explainUnknown(throttle.Update(ctx, func(tx store.Tx) error {
		for _, next := range all {
			if _, err := p.writeSome(tx, next, nil); err != nil {
				return err
			}
		}
		return p.auditLoad(tx, counted, true)
	}))
}

// explainUnknown adds advice for the operator to an error with an unknown outcome.
func (p *pass) explainUnknown(err error) error {
	if errors.Is(err, store.ErrUnknownOutcome) {
		return fmt.Errorf("it is not known whether %s was loaded; load it again: %w", p.name, err)
	}
	return err
}

// writeSome writes entries until over reports that the time is up, and returns their number.
func (p *pass) writeSome(tx store.Tx, w work, over func() bool) (int, error) {
	if err := p.enter(tx, tx); err != nil {
		return 0, err
	}
	taken, err := p.take(w.kind, w.items, over)
	return taken, errors.Join(err, p.problems.Err())
}
