package auditlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mintmark/internal/base/platform"
	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// ErrNothing is returned for an archive that would be empty.
var ErrNothing = errors.New("no entries to archive")

// Archived is the range of entries that an archive file holds.
type Archived struct{ First, Last int }

// The act and the outcome in the audit entry of an archive. Verify compares them with the missing
// entries, so neither text may change.
const (
	archiveAct     = "archive the audit"
	archiveOutcome = "entries %d to %d moved to an archive"
)

// Entry returns the audit entry of an archive, to be stored by Moving.Put.
func (a Archived) Entry(at time.Time, actor audit.Actor) audit.Entry {
	return audit.Entry{
		At: at, Actor: actor, Act: archiveAct,
		Outcome: fmt.Sprintf(archiveOutcome, a.First, a.Last),
	}
}

// noteArchived records the last entry that an archive entry covers. An archive entry without a
// digest does not count.
func (v *verifier) noteArchived(e audit.Sealed) {
	var a Archived
	if e.Act != archiveAct || len(e.Digest) == 0 {
		return
	}
	if n, _ := fmt.Sscanf(e.Outcome, archiveOutcome, &a.First, &a.Last); n == 2 {
		v.told = max(v.told, a.Last)
	}
}

// toldLimit is the number of unsealed rows that are searched for the entry of an archive made
// meanwhile.
const toldLimit = 100_000

// archives checks that archive entries cover everything that was archived. The newest archive entry
// is still in the database, because it is newer than what it covers; the number of archived entries
// is in a row that no seal protects.
func (v *verifier) archives(ctx context.Context) error {
	if v.stopped || v.archived <= v.told {
		return nil
	}
	newer, err := store.ViewOf(ctx, v.store, func(r store.Tx) (store.Unsealed, error) {
		return r.AuditLog().ListUnsealed(store.UnsealedQuery{
			Above: v.head.NewestRow, Limit: toldLimit,
		})
	})
	if err != nil {
		return err
	}
	for _, e := range newer.Entries {
		if v.Keys.CheckEntry(e.AppendContent(nil), e.Digest) {
			v.noteArchived(e.Sealed)
		}
	}
	if v.archived > v.told {
		v.report.add(Finding{
			First: v.told + 1, Last: v.archived,
			Text: "they are missing as if archived, and no entry records their archive",
		})
	}
	return nil
}

// Moving configures an archive run.
type Moving struct {
	Before time.Time // only entries that were sealed before this time
	File   string    // must not exist
	Keys   Keys
	// Put stores an audit entry about the archive, in the transaction that removes the first rows.
	Put func(tx store.Tx, a Archived) error
}

// Move writes the entries of the oldest batches to a file, verifies the file, and then removes
// their rows. Their hashes stay, so the log still verifies: with the file by the entries, without
// it by the hashes. The file of an interrupted run is complete; entries whose rows were not removed
// yet are archived again by the next run, into another file.
func Move(ctx context.Context, kept store.Store, m Moving) (Archived, error) {
	a, start, last, err := movable(ctx, kept, m.Before)
	if err != nil {
		return a, err
	}
	if err := writeArchive(ctx, kept, m.File, start, last); err != nil {
		return a, err
	}
	return a, finish(ctx, kept, m, a, last)
}

// movable finds the entries that were sealed before a time and not archived yet, and their last
// batch. The archive is written from start on, which is the end of a batch: if rows of the first
// batch are gone, the file has their hashes.
func movable(
	ctx context.Context, kept store.Store, before time.Time,
) (a Archived, start int, last store.Batch, err error) {
	err = kept.View(ctx, func(r store.Tx) error {
		archived, err := r.AuditLog().FindArchived()
		if err != nil {
			return err
		}
		a.First = archived + 1
		first, err := r.AuditLog().ListBatches(archived, 1)
		if err != nil || len(first) == 0 {
			return err
		}
		start = first[0].First - 1
		last, err = lastBefore(r, archived, before)
		return err
	})
	a.Last = last.Size()
	if err == nil && a.Last < a.First {
		err = ErrNothing
	}
	return a, start, last, err
}

// finish verifies the file and then removes the rows.
func finish(
	ctx context.Context, kept store.Store, m Moving, a Archived, last store.Batch,
) error {
	if err := checkArchive(m.File, a, last); err != nil {
		return fmt.Errorf("verify archive %s (no entries were removed): %w", m.File, err)
	}
	return remove(ctx, kept, m, a)
}

// lastBefore returns the last batch after an entry that was sealed before a time.
func lastBefore(r store.Tx, after int, before time.Time) (store.Batch, error) {
	const atOnce = 256
	var last store.Batch
	for {
		batches, err := r.AuditLog().ListBatches(after, atOnce)
		if err != nil || len(batches) == 0 {
			return last, err
		}
		for _, batch := range batches {
			if !batch.At.Before(before) {
				return last, nil
			}
			last, after = batch, batch.Size()
		}
	}
}

// writeArchive writes an archive file, which gets its name once it is complete.
func writeArchive(
	ctx context.Context, kept store.Store, name string, after int, last store.Batch,
) error {
	// The mode is 0600. The random name keeps the remains of a killed run from getting in the way.
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // on success the file also has its final name
	err = export(ctx, kept, file, after, last)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	// Unlike a rename, a link never replaces a file.
	if err := os.Link(file.Name(), name); err != nil {
		return err
	}
	return platform.SyncDirectory(filepath.Dir(name))
}

// checkArchive verifies an archive file: each entry must be present and complete, and match its
// digest.
func checkArchive(name string, a Archived, last store.Batch) error {
	archive, err := OpenArchive(name)
	if err != nil {
		return err
	}
	defer archive.Close()
	if archive.First > a.First || archive.Last != a.Last || archive.checkpoint != last.Note {
		return errors.New("it does not contain the expected entries")
	}
	const atOnce = 1000
	for after := a.First - 1; after < a.Last; after += atOnce {
		lines := archive.Lines(after, min(after+atOnce, a.Last))
		for i, line := range lines {
			entry, err := line.Sealed()
			if err != nil {
				return err
			}
			if entry.Sequence != after+i+1 || line.Hash == nil || entry.LeafHash() != *line.Hash {
				return fmt.Errorf("entry %d is missing or damaged", after+i+1)
			}
		}
		if len(lines) < min(atOnce, a.Last-after) {
			return fmt.Errorf("an entry after %d is missing", after)
		}
	}
	return nil
}

// remove deletes the rows in small transactions, and pauses after each for as long as it took:
// callers wait for one such transaction at most.
func remove(ctx context.Context, kept store.Store, m Moving, a Archived) error {
	const atOnce = 500
	for first := true; ; first = false {
		removed, began := 0, time.Now()
		err := kept.Update(ctx, func(tx store.Tx) error {
			var err error
			removed, err = tx.AuditLog().DeleteThrough(a.Last, atOnce)
			// If another archive of the same entries was faster, its audit entry covers them.
			if err == nil && first && removed > 0 && m.Put != nil {
				err = m.Put(tx, a)
			}
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Archive is an open archive file, to be read in the order of its entries.
type Archive struct {
	First, Last int

	file       *os.File
	checkpoint string
	lines      *bufio.Scanner
	next       *audit.Line // read, but not returned yet
}

// OpenArchive opens an archive file and determines which entries it holds.
func OpenArchive(name string) (*Archive, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	a := &Archive{file: file}
	a.rewind()
	for a.advance() {
		switch line := a.next; {
		case line.Sequence == 0:
			a.checkpoint = line.Checkpoint
		case a.First == 0:
			a.First, a.Last = line.Sequence, line.Sequence
		default:
			a.Last = line.Sequence
		}
	}
	err = a.lines.Err()
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	a.rewind()
	return a, nil
}

func (a *Archive) rewind() {
	a.lines = newLines(a.file)
	a.next = nil
}

// advance reads the next line. It skips invalid lines, whose entries then count as missing.
func (a *Archive) advance() bool {
	for a.lines.Scan() {
		line, err := audit.ReadLine(a.lines.Bytes())
		if err == nil {
			a.next = &line
			return true
		}
	}
	a.next = nil
	return false
}

// Lines returns the lines of entries after one, up to another. Each call continues after the
// previous one.
func (a *Archive) Lines(after, to int) []audit.Line {
	var lines []audit.Line
	for a.next != nil || a.advance() {
		if a.next.Sequence > to {
			break
		}
		if a.next.Sequence > after && !a.next.IsHashOnly() {
			lines = append(lines, *a.next)
		}
		a.next = nil
	}
	return lines
}

// Close closes the file.
func (a *Archive) Close() error { return a.file.Close() }
