package auditlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// keeps is how long the archives of tests keep entries in the store.
const keeps = 90 * 24 * time.Hour

// archives returns archives of a place with 20 entries, 15 of which are older than the period. The
// four batches have 5 entries each.
func archives(t *testing.T, p *place) Archives {
	t.Helper()
	cutoff := monthOf(time.Now().Add(-keeps)).UnixMilli()
	db := p.connect(t)
	change(t, db, fmt.Sprintf(`UPDATE sealed_batches SET sealed_at = %d`, cutoff))
	change(t, db, fmt.Sprintf(`UPDATE sealed_batches SET sealed_at = %d WHERE first_sequence <= 11`,
		cutoff-1))
	return Archives{
		Directory: t.TempDir(), Keep: keeps, Keys: p.keys,
		Put: func(tx store.Tx, a Archived, file string) error {
			e := a.Entry(tx.Now(), audit.Actor{Kind: audit.Job, Name: "archive the audit"})
			e.Actor.Reason = filepath.Base(file)
			return tx.Audit().Put(e)
		},
	}
}

const firstFile = "audit-000000000001-000000000015.jsonl"

// wantMoved checks that the first 15 entries are in one file and nowhere else.
func (d Archives) wantMoved(t *testing.T, p *place, moved Archived, file string, err error) {
	t.Helper()
	if err != nil || moved != (Archived{1, 15}) || filepath.Base(file) != firstFile {
		t.Fatalf("moved %v to %s, error %v", moved, file, err)
	}
	left, err := os.ReadDir(d.Directory)
	if err != nil || len(left) != 1 {
		t.Errorf("the directory holds %v, error %v", left, err)
	}
	p.wantArchived(t, []string{file}, 0)
	if p.left(t) != 16 {
		t.Errorf("the first entry in the store is %d", p.left(t))
	}
	if report := p.verify(t); report.Archived != 15 {
		t.Errorf("%d entries are archived", report.Archived)
	}
}

// left returns the first sealed entry whose row is in the store.
func (p *place) left(t *testing.T) (first int) {
	t.Helper()
	err := p.store.View(t.Context(), func(r store.Tx) error {
		archived, err := r.AuditLog().FindArchived()
		if err != nil {
			return err
		}
		entries, err := r.AuditLog().List(archived, 1)
		if err == nil {
			first = entries[0].Sequence
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// TestArchivesByMonth moves whole months that are older than the period, once.
func TestArchivesByMonth(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		p := fresh()
		d := archives(t, p)
		moved, file, err := d.Move(t.Context(), p.store)
		d.wantMoved(t, p, moved, file, err)
		if _, _, err := d.Move(t.Context(), p.store); !errors.Is(err, ErrNothing) {
			t.Errorf("nothing to move gives %v", err)
		}
		d.Directory = filepath.Join(d.Directory, "not mounted")
		change(t, p.connect(t), `UPDATE sealed_batches SET sealed_at = 1`)
		if _, _, err := d.Move(t.Context(), p.store); !errors.Is(err, os.ErrNotExist) ||
			p.left(t) != 16 {
			t.Errorf("without a directory: %v", err)
		}
	})
}

// TestArchivesOverKills finishes the work of a killed run: killed while writing, after the file got
// its name, and after removing some rows, among them those of half a batch.
func TestArchivesOverKills(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		for _, removed := range []int{0, 3, 12} {
			p := fresh()
			d := archives(t, p)
			d.interrupted(t, p, removed)
			moved, file, err := d.Move(t.Context(), p.store)
			d.wantMoved(t, p, moved, file, err)
		}
	})
}

// interrupted leaves the state of a run that was killed after removing the given number of rows.
func (d Archives) interrupted(t *testing.T, p *place, removed int) {
	t.Helper()
	a, start, last, err := movable(t.Context(), p.store, monthOf(time.Now().Add(-keeps)))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeArchive(t.Context(), p.store, d.file(a), start, last); err != nil {
		t.Fatal(err)
	}
	part := d.file(Archived{1, 10}) + ".123.part"
	if err := os.WriteFile(part, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if removed == 0 {
		return
	}
	if err := p.store.Update(t.Context(), func(tx store.Tx) error {
		if err := d.Put(tx, a, d.file(a)); err != nil {
			return err
		}
		_, err := tx.AuditLog().DeleteThrough(a.Last, removed)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestArchivesBelongToTheDatabase removes nothing because of a file with other contents, and
// nothing from a log that does not verify.
func TestArchivesBelongToTheDatabase(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		for _, removed := range []int{0, 3} {
			for _, sequence := range []int{2, 14} {
				p := fresh()
				d := archives(t, p)
				d.interrupted(t, p, removed)
				forge(t, d.file(Archived{1, 15}), sequence)
				_, _, err := d.Move(t.Context(), p.store)
				if err == nil || !strings.Contains(err.Error(), "move it away") ||
					p.left(t) != removed+1 {
					t.Errorf("with %d rows gone, entry %d forged: %v, the first left is %d",
						removed, sequence, err, p.left(t))
				}
			}
		}
		p := fresh()
		d := archives(t, p)
		change(t, p.connect(t), `UPDATE audit SET outcome = 'x' WHERE audit_id IN
			(SELECT MIN(audit_id) FROM audit)`)
		_, _, err := d.Move(t.Context(), p.store)
		if !errors.Is(err, ErrTampered) || p.left(t) != 1 {
			t.Errorf("a log that was changed: %v", err)
		}
	})
}

// forge changes an entry in a file, and its hash with it.
func forge(t *testing.T, file string, sequence int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var forged []byte
	for line := range strings.Lines(string(text)) {
		read, err := audit.ReadLine([]byte(line))
		if err == nil && read.Sequence == sequence {
			var entry audit.Sealed
			entry, err = read.Sealed()
			entry.Outcome = "forged"
			checkpoint := read.Checkpoint
			read = audit.LineOf(entry)
			read.Checkpoint = checkpoint
		}
		if err == nil {
			forged, err = read.Append(forged)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, forged, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestArchiveOfTheRest manually archives the rest after a run that was killed in the middle of a
// batch.
func TestArchiveOfTheRest(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		p := fresh()
		d := archives(t, p)
		d.interrupted(t, p, 12)
		rest := filepath.Join(t.TempDir(), "rest")
		moved, err := Move(t.Context(), p.store, Moving{
			Before: monthOf(time.Now().Add(-keeps)), File: rest, Keys: p.keys, Put: putArchived,
		})
		if err != nil || moved != (Archived{13, 15}) {
			t.Fatalf("moved %v, error %v", moved, err)
		}
		p.wantArchived(t, []string{d.file(Archived{1, 15})}, 0)
		p.wantArchived(t, []string{rest}, 12)
	})
}

// TestTwoArchivesAtOnce archives manually while the job archives the same. Both files are complete,
// and one entry records the archive: that of the run that removed the rows.
func TestTwoArchivesAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		p := fresh()
		d := archives(t, p)
		hand := Moving{File: filepath.Join(t.TempDir(), "hand"), Keys: p.keys, Put: putArchived}
		a, start, last, err := movable(t.Context(), p.store, monthOf(time.Now().Add(-keeps)))
		if err == nil {
			err = writeArchive(t.Context(), p.store, hand.File, start, last)
		}
		if err != nil {
			t.Fatal(err)
		}
		moved, file, err := d.Move(t.Context(), p.store)
		d.wantMoved(t, p, moved, file, err)
		if err := finish(t.Context(), p.store, hand, a, last); err != nil {
			t.Fatal(err)
		}
		p.wantArchived(t, []string{hand.File}, 0)
		err = p.store.View(t.Context(), func(r store.Tx) error {
			unsealed, err := r.AuditLog().ListUnsealed(store.UnsealedQuery{Limit: 10})
			tells := slices.DeleteFunc(unsealed.Entries, func(e store.LogEntry) bool {
				return e.Act != archiveAct
			})
			if len(tells) != 1 || tells[0].Actor.Kind != audit.Job {
				t.Errorf("of the archives tell %+v", tells)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
