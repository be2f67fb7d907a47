package auditlog

import (
	"bufio"
	"context"
	"io"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Part selects a part of the log: the entries from From until before To that a reader may see. A
// zero time means no bound.
type Part struct {
	From, To time.Time
	Sees     func(audit.Entry) bool // nil for every entry
}

// outOfOrder is the maximum deviation of the entries' times from their sealed order.
const outOfOrder = 10 * time.Minute

// ExportPart writes a part of the log, one entry a line, by sequence. Each line has the proof that
// its entry is in the log of the checkpoint, which is the first line and the last. Archived entries
// are left out. Begin is called before anything is written, once the log is known not to be empty.
func ExportPart(
	ctx context.Context, kept store.Store, part Part, begin func() io.Writer,
) error {
	head, err := headOf(ctx, kept)
	if err != nil {
		return err
	}
	after, err := sealedBefore(ctx, kept, part.From, head.Size())
	if err != nil {
		return err
	}
	out := bufio.NewWriter(begin())
	err = writeLines(out, audit.Line{Part: true, Checkpoint: head.Note})
	if err != nil {
		return err
	}
	e := &partExport{Part: part, size: head.Size(), hashes: map[int64]tlog.Hash{}}
	for after < e.size && !e.over {
		var lines []audit.Line
		err := kept.View(ctx, func(r store.Tx) (err error) {
			lines, after, err = e.lines(r, after)
			return err
		})
		if err == nil {
			err = writeLines(out, lines...)
		}
		if err != nil {
			return err
		}
	}
	if err := writeLines(out, audit.Line{Checkpoint: head.Note}); err != nil {
		return err
	}
	return out.Flush()
}

// sealedBefore returns the sequence of an entry up to which all entries are earlier than a time. It
// uses a binary search, because the times are almost in the order of the log.
func sealedBefore(
	ctx context.Context, kept store.Store, moment time.Time, size int,
) (int, error) {
	if moment.IsZero() {
		return 0, nil
	}
	moment = moment.Add(-outOfOrder)
	return store.ViewOf(ctx, kept, func(r store.Tx) (int, error) {
		first, last := 0, size
		for first < last {
			middle := first + (last-first)/2
			entries, err := r.AuditLog().List(middle, 1)
			if err != nil {
				return 0, err
			}
			if len(entries) > 0 && entries[0].At.Before(moment) {
				first = entries[0].Sequence
			} else {
				last = middle
			}
		}
		return first, nil
	})
}

// partExport is one export of a part. Proofs of neighbouring entries share most of their hashes, so
// it caches them.
type partExport struct {
	Part
	size   int
	over   bool // all later entries are after To
	hashes map[int64]tlog.Hash
}

const (
	partLines  = 500
	partHashes = 50_000
)

// lines reads some entries after one, and returns the last entry read.
func (e *partExport) lines(r store.Tx, after int) (lines []audit.Line, next int, err error) {
	entries, err := r.AuditLog().List(after, min(partLines, e.size-after))
	if err != nil || len(entries) == 0 {
		return nil, e.size, err
	}
	if len(e.hashes) > partHashes {
		clear(e.hashes)
	}
	read := e.reader(r)
	for _, entry := range entries {
		if entry.Sequence > e.size {
			break
		}
		if !e.To.IsZero() && entry.At.After(e.To.Add(outOfOrder)) {
			e.over = true
			break
		}
		if !e.includes(entry.Entry) {
			continue
		}
		line := audit.LineOf(entry.Sealed)
		line.Proof, err = tlog.ProveRecord(int64(e.size), int64(entry.Sequence-1), read)
		if err != nil {
			return nil, after, err
		}
		lines = append(lines, line)
	}
	return lines, entries[len(entries)-1].Sequence, nil
}

func (e *partExport) includes(entry audit.Entry) bool {
	return (e.From.IsZero() || !entry.At.Before(e.From)) &&
		(e.To.IsZero() || entry.At.Before(e.To)) && (e.Sees == nil || e.Sees(entry))
}

// reader returns a reader of hashes that caches them.
func (e *partExport) reader(r store.Tx) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var missing []int64
		for _, index := range indexes {
			if _, known := e.hashes[index]; !known {
				missing = append(missing, index)
			}
		}
		if len(missing) > 0 {
			read, err := r.AuditLog().FindHashes(missing)
			if err != nil {
				return nil, err
			}
			for i, index := range missing {
				e.hashes[index] = read[i]
			}
		}
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			hashes[i] = e.hashes[index]
		}
		return hashes, nil
	})
}
