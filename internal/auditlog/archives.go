package auditlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Archives is a directory that old entries are moved to, in whole months.
type Archives struct {
	Directory string        // must exist: an unmounted directory must not be created
	Keep      time.Duration // minimum time that entries stay in the store
	Keys      Keys
	// Put stores an audit entry about the archive, in the transaction that removes the first rows.
	Put func(tx store.Tx, a Archived, file string) error
}

// The name of an archive file contains the range of its entries. Names sort in the order of the
// entries.
const (
	archiveName  = "audit-%012d-%012d.jsonl"
	archiveNames = "audit-*-*.jsonl"
	archiveParts = "audit-*.jsonl.*.part"
)

// Move moves the entries that were sealed before the month in which the Keep period began, and
// returns their file. It verifies the log first. It completes an interrupted run: it compares the
// file of that run with what was sealed, and then removes the remaining rows. If there are no
// entries to move, the error is ErrNothing.
func (d Archives) Move(ctx context.Context, kept store.Store) (a Archived, file string, err error) {
	before, err := store.ViewOf(ctx, kept, func(r store.Tx) (time.Time, error) {
		return monthOf(r.Now().Add(-d.Keep)), nil
	})
	if err != nil {
		return a, "", err
	}
	a, start, last, err := movable(ctx, kept, before)
	if err != nil {
		return a, "", err
	}
	if err := d.clean(); err != nil {
		return a, "", err
	}
	// Use one core: callers need the others.
	report, err := Verify(ctx, kept, Verification{Keys: d.Keys, Workers: 1})
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return a, "", err
	}
	m := Moving{Keys: d.Keys}
	m.Put = func(tx store.Tx, a Archived) error { return d.Put(tx, a, m.File) }
	begun, ends, err := d.findUnfinished(ctx, kept, a)
	switch {
	case err != nil:
	case begun.First == 0:
		m.File = d.file(a)
		err = writeArchive(ctx, kept, m.File, start, last)
	default:
		m.File = d.file(begun)
		err = d.compare(ctx, kept, begun)
		if a.First > begun.First {
			m.Put = nil // the archive entry was stored when the first rows were removed
		}
		a, last = begun, ends
	}
	if err != nil {
		return a, "", err
	}
	return a, m.File, finish(ctx, kept, m, a, last)
}

func (d Archives) file(a Archived) string {
	return filepath.Join(d.Directory, fmt.Sprintf(archiveName, a.First, a.Last))
}

// monthOf returns the beginning of a month in UTC.
func monthOf(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// clean removes incomplete files of interrupted runs. If such a run on another node is still
// active, it fails because its file is gone, before it removes any rows.
func (d Archives) clean() error {
	about, err := os.Stat(d.Directory)
	if err == nil && !about.IsDir() {
		err = fmt.Errorf("%s is not a directory", d.Directory)
	}
	if err != nil {
		return err
	}
	parts, err := filepath.Glob(filepath.Join(d.Directory, archiveParts))
	for _, part := range parts {
		err = errors.Join(err, os.Remove(part))
	}
	return err
}

// findUnfinished finds a complete file that holds the first of the entries to move, and returns its
// entries and its last batch. A file that also holds later entries does not count.
func (d Archives) findUnfinished(
	ctx context.Context, kept store.Store, a Archived,
) (begun Archived, last store.Batch, err error) {
	names, err := filepath.Glob(filepath.Join(d.Directory, archiveNames))
	if err != nil {
		return begun, last, err
	}
	for _, name := range names {
		var archived Archived
		_, err := fmt.Sscanf(filepath.Base(name), archiveName, &archived.First, &archived.Last)
		if err == nil && d.file(archived) == name && archived.First <= a.First && a.First <= archived.Last &&
			archived.Last <= a.Last {
			begun = archived
		}
	}
	if begun.First == 0 {
		return begun, last, nil
	}
	err = kept.View(ctx, func(r store.Tx) error {
		for after := a.First - 1; after < begun.Last; after = last.Size() {
			listed, err := r.AuditLog().ListBatches(after, 1)
			if err != nil {
				return err
			}
			if len(listed) == 0 {
				break
			}
			last = listed[0]
		}
		return nil
	})
	if err == nil && last.Size() != begun.Last {
		err = foreign(d.file(begun))
	}
	return begun, last, err
}

// foreign returns the error for a file whose entries differ from those of the store, as after a
// restore of a database from before the archive.
func foreign(file string) error {
	return fmt.Errorf("the entries in %s differ from those in the database: move it away", file)
}

// compare compares a file with the hashes of its entries, which stay in the store and were
// verified. finish checks that the lines match these hashes.
func (d Archives) compare(ctx context.Context, kept store.Store, held Archived) error {
	archive, err := OpenArchive(d.file(held))
	if err != nil {
		return err
	}
	defer archive.Close()
	const atOnce = 1000
	for after := held.First - 1; after < held.Last; after += atOnce {
		indexes := make([]int64, min(atOnce, held.Last-after))
		for i := range indexes {
			indexes[i] = tlog.StoredHashIndex(0, int64(after+i))
		}
		hashes, err := store.ViewOf(ctx, kept, func(r store.Tx) ([]tlog.Hash, error) {
			return r.AuditLog().FindHashes(indexes)
		})
		if err != nil {
			return err
		}
		lines := archive.Lines(after, after+len(indexes))
		same := slices.EqualFunc(lines, hashes, func(line audit.Line, hash tlog.Hash) bool {
			return line.Hash != nil && *line.Hash == hash
		})
		if !same {
			return foreign(d.file(held))
		}
	}
	return nil
}
