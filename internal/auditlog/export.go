package auditlog

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/base/progress"
	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// ErrEmpty is returned for a log in which nothing was sealed yet.
var ErrEmpty = errors.New("nothing has been sealed yet")

// Export writes the sealed log, one entry a line, by sequence. The last line of a batch includes
// the checkpoint of the batch, and after the last entry the newest checkpoint has a line of its
// own. An archived entry has a line with its hash only. An entry that is missing for another reason
// has no line, so that a verification of the export detects it.
func Export(ctx context.Context, kept store.Store, to io.Writer) error {
	head, err := headOf(ctx, kept)
	if err != nil {
		return err
	}
	return export(ctx, kept, to, 0, head)
}

// headOf returns the newest batch, or ErrEmpty if nothing was sealed.
func headOf(ctx context.Context, kept store.Store) (store.Batch, error) {
	head, err := store.ViewOf(ctx, kept, FindHead)
	if err == nil && head.Size() == 0 {
		err = ErrEmpty
	}
	return head, err
}

// Checkpoint returns the newest checkpoint as a signed note.
func Checkpoint(ctx context.Context, kept store.Store) (string, error) {
	head, err := headOf(ctx, kept)
	return head.Note, err
}

// export writes the entries after one, up to the end of a batch.
func export(
	ctx context.Context, kept store.Store, to io.Writer, after int, last store.Batch,
) error {
	progress.Expect(ctx, int64(last.Size()-after))
	out := bufio.NewWriter(to)
	batches := 0
	for after < last.Size() {
		lines, next, err := linesOf(ctx, kept, after, last.Size())
		if err != nil {
			return err
		}
		if err := writeLines(out, lines...); err != nil {
			return err
		}
		for _, line := range lines {
			if line.Checkpoint != "" {
				batches++
			}
		}
		progress.Add(ctx, int64(next-after))
		after = next
	}
	end := audit.Line{Checkpoint: last.Note, Batches: batches}
	if err := writeLines(out, end); err != nil {
		return err
	}
	return out.Flush()
}

func writeLines(to io.Writer, lines ...audit.Line) error {
	var text []byte
	for _, line := range lines {
		var err error
		text, err = line.Append(text)
		if err != nil {
			return err
		}
	}
	_, err := to.Write(text)
	return err
}

// linesOf reads some batches after an entry as lines, and returns the last entry read.
func linesOf(
	ctx context.Context, kept store.Store, after, last int,
) (lines []audit.Line, next int, err error) {
	const batches = 64
	err = kept.View(ctx, func(r store.Tx) error {
		listed, err := r.AuditLog().ListBatches(after, batches)
		if err != nil {
			return err
		}
		listed = follow(listed, after, last-after)
		if len(listed) == 0 {
			return fmt.Errorf("entry %d is not in any batch: run mintmark audit verify", after+1)
		}
		next = listed[len(listed)-1].Size()
		rows, err := r.AuditLog().List(after, next-after)
		if err != nil {
			return err
		}
		entries := make(map[int]audit.Sealed, len(rows))
		for _, e := range rows {
			entries[e.Sequence] = e.Sealed
		}
		archived, err := r.AuditLog().FindArchived()
		if err != nil {
			return err
		}
		hashes, err := r.AuditLog().ListHashes(
			tlog.StoredHashCount(int64(after)), tlog.StoredHashCount(int64(next)))
		if err != nil {
			return err
		}
		lines = lines[:0]
		for _, batch := range listed {
			for sequence := batch.First; sequence <= batch.Size(); sequence++ {
				line := audit.Line{Sequence: sequence}
				e, there := entries[sequence]
				switch {
				case there:
					line = audit.LineOf(e)
				case sequence > archived:
					continue
				default:
					line.Hash = &hashes[tlog.StoredHashIndex(0, int64(sequence-1))-
						tlog.StoredHashCount(int64(after))]
				}
				if sequence == batch.Size() {
					line.Checkpoint = batch.Note
				}
				lines = append(lines, line)
			}
		}
		return nil
	})
	return lines, next, err
}

// VerifyExport rebuilds the log from consecutive exports and archives. It trusts only the signature
// of the last checkpoint.
func VerifyExport(key note.Verifier, checkpoints []string, files ...io.Reader) (*Report, error) {
	v := &exportVerifier{key: key, report: &Report{}}
	var err error
	v.checker, err = newChecker(key, v.report, checkpoints)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text := bufio.NewReaderSize(file, maxProof)
		if p, ok := savedProof(text); ok {
			v.proof(p)
		} else if err := v.file(text); err != nil {
			return nil, err
		}
	}
	if v.part == nil {
		v.checker.fork()
	}
	if v.stopped {
		return v.report, nil
	}
	if !v.ended {
		v.add("the last line is not a checkpoint: the end of the file is missing")
	}
	if v.part == nil {
		v.checker.end()
	}
	return v.report, nil
}

// exportVerifier is one verification of files.
type exportVerifier struct {
	key     note.Verifier
	report  *Report
	checker *checker
	ended   bool // the last line was a checkpoint
	whole   bool // the file had a line with an entry
	stopped bool
	signed  int   // last entry covered by a valid batch checkpoint
	batches int   // lines of the file that end a batch
	part    *part // part whose lines are proven one by one; nil for the whole log
}

// maxLine is the maximum length of a line. An entry has some hundred bytes, and a large one some
// thousand.
const maxLine = 16 << 20

func (v *exportVerifier) file(from io.Reader) error {
	lines := newLines(from)
	v.whole, v.batches = false, 0
	for lines.Scan() && !v.stopped {
		line, err := audit.ReadLine(lines.Bytes())
		if err == nil && !bytes.HasSuffix(lines.Bytes(), []byte("\n")) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			v.stop(fmt.Sprintf("the line is not as it was written: %v", err))
			return nil
		}
		if err := v.line(line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// newLines returns a scanner of lines that includes the line endings.
func newLines(from io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	lines.Split(func(text []byte, atEnd bool) (int, []byte, error) {
		if end := bytes.IndexByte(text, '\n') + 1; end > 0 || atEnd && len(text) > 0 {
			end = cmp.Or(end, len(text))
			return end, text[:end], nil
		}
		return 0, nil, nil
	})
	return lines
}

func (v *exportVerifier) line(l audit.Line) error {
	v.ended = false
	if l.Part || v.part != nil {
		return v.verifyPart(l)
	}
	switch {
	case l.Sequence == 0:
		v.ended = true
		if l.Batches != 0 && l.Batches != v.batches {
			v.stop(fmt.Sprintf("%d checkpoints of batches stand before it, and there were %d",
				v.batches, l.Batches))
			return nil
		}
		return v.last(l.Checkpoint)
	case l.Batches != 0 || l.Proof != nil:
		v.stop("the line has a member of another kind of line")
		return nil
	case l.Checkpoint != "":
		v.batches++
	}
	expected := v.report.Entries + 1
	if l.IsHashOnly() && l.Sequence < expected {
		return nil // the entry was in an archive
	}
	if l.Sequence != expected {
		v.stop(fmt.Sprintf("entry %d is in its place: an entry was removed, added or moved",
			l.Sequence))
		return nil
	}
	if l.Hash == nil {
		v.stop("the line has no hash")
		return nil
	}
	e := checked{leaf: *l.Hash, bare: l.IsHashOnly()}
	e.Sequence = l.Sequence
	if e.bare && v.whole {
		e.bad = "was removed: older entries exist, and an archive takes the oldest first"
	}
	v.whole = v.whole || !e.bare
	if !e.bare {
		sealed, err := l.Sealed()
		if err != nil {
			v.stop(err.Error())
			return nil
		}
		e.Sealed = sealed
		if sealed.LeafHash() != *l.Hash {
			e.bad = "was changed: its hash does not fit"
		}
	}
	if err := v.checker.entry(e); err != nil {
		return err
	}
	if l.Checkpoint == "" {
		return nil
	}
	return v.batch(l.Checkpoint)
}

// batch compares the tree with the checkpoint of a batch.
func (v *exportVerifier) batch(text string) error {
	root, err := v.checker.tree.Root()
	if err != nil {
		return err
	}
	said, err := audit.OpenExact(text, v.key)
	switch {
	case err != nil:
		v.broken("their checkpoint is not signed by the key of this log")
	case said.Size != v.checker.tree.Size() || said.Root != root:
		v.broken("they are not what was sealed")
	default:
		v.signed = int(said.Size)
		v.checker.accept()
	}
	return nil
}

// last compares the tree with the checkpoint that has a line of its own.
func (v *exportVerifier) last(text string) error {
	root, err := v.checker.tree.Root()
	if err != nil {
		return err
	}
	opened, err := audit.OpenExact(text, v.key)
	switch {
	case err != nil:
		v.broken("the last checkpoint is not signed by the key of this log")
	case opened.Size != v.checker.tree.Size():
		v.add(fmt.Sprintf("there are %d entries, and the last checkpoint covers %d",
			v.checker.tree.Size(), opened.Size))
	case opened.Root != root:
		v.broken("they are not what was sealed")
	default:
		v.report.Checkpoint = text
		v.checker.accept()
	}
	return nil
}

// broken reports the entries after the last valid checkpoint.
func (v *exportVerifier) broken(text string) {
	v.stopped = true
	last := v.report.Entries
	if _, _, named := v.checker.suspects(); named && v.signed == int(v.checker.before.Size()) {
		return // already reported
	}
	v.report.add(Finding{First: min(v.signed+1, last), Last: last, Text: text})
}

func (v *exportVerifier) add(text string) {
	next := v.report.Entries + 1
	if v.part != nil {
		next = v.part.last + 1
	}
	v.report.add(Finding{First: next, Last: next, Text: text})
}

func (v *exportVerifier) stop(text string) {
	v.add(text)
	v.stopped = true
}
