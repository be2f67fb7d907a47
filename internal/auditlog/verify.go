package auditlog

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/base/progress"
	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Verification configures the verification of a log in a store.
type Verification struct {
	Keys        Keys
	Checkpoints []string // signed notes that were stored elsewhere
	Archives    []*Archive
	Workers     int // cores that compute digests; 0 for all
}

// unsealedTime is how much older than the newest batch an unsealed row may be: its transaction may
// have been open for that long.
const unsealedTime = 10 * time.Minute

// unsealedLimit is the maximum number of unsealed rows that are checked. There are more only while
// a log begins on an older database; those are checked once they are sealed.
const unsealedLimit = 1000

// Verify rebuilds the log from the entries in a store, and trusts only the signatures of its
// checkpoints. The report holds what is wrong; an error means that the verification failed to
// complete.
func Verify(ctx context.Context, kept store.Store, with Verification) (*Report, error) {
	v := &verifier{Verification: with, store: kept, report: &Report{}}
	var err error
	v.checker, err = newChecker(with.Keys.LogVerifier(), v.report, with.Checkpoints)
	if err != nil {
		return nil, err
	}
	// List the rows first: those that are sealed meanwhile are in the batches.
	if err := v.listRows(ctx); err != nil {
		return nil, err
	}
	err = kept.View(ctx, func(r store.Tx) error {
		var err error
		v.head, err = FindHead(r)
		if err != nil {
			return err
		}
		v.archived, err = r.AuditLog().FindArchived()
		return err
	})
	if err != nil {
		return nil, err
	}
	v.report.Checkpoint = v.head.Note
	v.signed = v.isSigned(v.head)
	if err := v.sealed(ctx); err != nil {
		return nil, err
	}
	v.checker.fork()
	if !v.stopped {
		v.checker.end()
	}
	if err := v.checkUnsealed(ctx); err != nil {
		return nil, err
	}
	return v.report, v.archives(ctx)
}

// verifier is one verification.
type verifier struct {
	Verification
	store    store.Store
	report   *Report
	checker  *checker
	rows     seen
	head     store.Batch
	archived int  // entries up to here are recorded as archived
	told     int  // archive entries cover entries up to here
	newest   int  // greatest row of the batches so far
	events   int  // number of events in the batches so far
	signed   bool // the newest checkpoint is signed, and so vouches for all before
	stopped  bool // what follows cannot be judged
}

func (v *verifier) listRows(ctx context.Context) error {
	const atOnce = 10_000
	above := math.MinInt
	for {
		rows, err := store.ViewOf(ctx, v.store, func(r store.Tx) ([]int, error) {
			return r.AuditLog().ListRows(above, atOnce)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			v.rows.add(row)
		}
		above = rows[len(rows)-1]
	}
}

// isSigned reports whether a batch has a checkpoint of its size and root, signed by the log's key.
func (v *verifier) isSigned(b store.Batch) bool {
	opened, err := audit.OpenCheckpoint(b.Note, v.Keys.LogVerifier())
	return err == nil && opened.Size == int64(b.Size()) && opened.Root == b.Root
}

// chunk is a run of batches with their entries.
type chunk struct {
	batches []store.Batch
	entries []checked
	hashes  []tlog.Hash // as stored, from the first batch on
	err     error
	ready   chan struct{} // closed when digests and hashes are computed
}

// sealed checks the batches in order. One goroutine reads, several compute digests, and the calling
// one builds the tree.
func (v *verifier) sealed(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	workers := cmp.Or(v.Workers, runtime.GOMAXPROCS(0))
	work, inOrder := make(chan *chunk, workers), make(chan *chunk, 2*workers)
	running.Go(func() { v.read(ctx, work, inOrder) })
	for range workers {
		running.Go(func() {
			for c := range work {
				v.compute(c)
				close(c.ready)
			}
		})
	}
	for c := range inOrder {
		<-c.ready
		if c.err != nil {
			return c.err
		}
		if err := v.chunk(c); err != nil || v.stopped {
			return err
		}
	}
	return ctx.Err()
}

// read reads chunks up to the head, or until a batch is missing.
func (v *verifier) read(ctx context.Context, work, inOrder chan<- *chunk) {
	defer close(inOrder)
	defer close(work)
	progress.Expect(ctx, int64(v.head.Size()))
	for after := 0; after < v.head.Size(); {
		c := v.readChunk(ctx, after)
		for _, to := range []chan<- *chunk{work, inOrder} {
			select {
			case to <- c:
			case <-ctx.Done():
				return
			}
		}
		if c.err != nil || len(c.batches) == 0 {
			return
		}
		last := c.batches[len(c.batches)-1].Size()
		progress.Add(ctx, int64(last-after))
		after = last
	}
}

// readChunk reads the batches that follow an entry, with their rows.
func (v *verifier) readChunk(ctx context.Context, after int) *chunk {
	const batches, entries = 256, 2000
	c := &chunk{ready: make(chan struct{})}
	c.err = v.store.View(ctx, func(r store.Tx) error {
		listed, err := r.AuditLog().ListBatches(after, batches)
		if err != nil {
			return err
		}
		c.batches = follow(listed, after, min(entries, v.head.Size()-after))
		if len(c.batches) == 0 {
			return nil
		}
		last := c.batches[len(c.batches)-1].Size()
		c.hashes, err = r.AuditLog().ListHashes(
			tlog.StoredHashCount(int64(after)), tlog.StoredHashCount(int64(last)))
		if err != nil || last <= v.archived {
			return err
		}
		rows, err := r.AuditLog().List(after, last-max(after, v.archived))
		for _, e := range rows {
			if e.Sequence <= last {
				c.entries = append(c.entries, checked{Sealed: e.Sealed, row: e.Row})
			}
		}
		return err
	})
	if c.err == nil && after < v.archived && len(c.batches) > 0 {
		c.entries = append(v.fromArchives(after, min(c.batches[len(c.batches)-1].Size(),
			v.archived)), c.entries...)
	}
	return c
}

// follow returns the batches that follow an entry without a gap, up to the given number of entries.
func follow(listed []store.Batch, after, entries int) []store.Batch {
	end := after + entries
	for i, batch := range listed {
		if batch.First != after+1 || i > 0 && batch.Size() > end {
			return listed[:i]
		}
		after = batch.Size()
	}
	return listed
}

// fromArchives returns the entries after one, up to another, that the archive files hold.
func (v *verifier) fromArchives(after, to int) []checked {
	var entries []checked
	for _, archive := range v.Archives {
		for _, line := range archive.Lines(after, to) {
			entry, err := line.Sealed()
			if err == nil {
				entries = append(entries, checked{Sealed: entry})
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b checked) int { return a.Sequence - b.Sequence })
	return entries
}

// compute matches the places of a chunk with their entries, and computes everything that depends on
// a single entry.
func (v *verifier) compute(c *chunk) {
	if c.err != nil || len(c.batches) == 0 {
		return
	}
	entries := c.entries
	c.entries = make([]checked, 0, len(entries))
	first := int64(c.batches[0].First - 1)
	var bytes []byte
	for _, batch := range c.batches {
		for i, place := range batch.Rows {
			sequence := batch.First + i
			for len(entries) > 0 && entries[0].Sequence < sequence {
				entries = entries[1:]
			}
			e := checked{row: place.Row}
			if len(entries) > 0 && entries[0].Sequence == sequence {
				e = entries[0]
				e.row = place.Row
				bytes = e.AppendContent(bytes[:0])
				if len(e.Digest) > 0 && !v.Keys.CheckEntry(bytes, e.Digest) {
					e.bad = "was changed or made up: its digest does not fit"
				}
				bytes = e.AppendRecord(bytes[:0])
				e.leaf = tlog.RecordHash(bytes)
			} else {
				e.leaf = c.hashes[tlog.StoredHashIndex(0, int64(sequence-1))-
					tlog.StoredHashCount(first)]
				e.bare, e.gone = sequence <= v.archived, sequence > v.archived
				if e.gone {
					e.bad = "is gone"
				}
			}
			e.Sequence = sequence
			c.entries = append(c.entries, e)
		}
	}
}

// chunk adds the entries of a chunk to the tree, batch by batch.
func (v *verifier) chunk(c *chunk) error {
	if len(c.batches) == 0 {
		v.stopped = true
		next := v.report.Entries + 1
		v.report.add(Finding{First: next, Last: next, Text: "no batch seals it"})
		return nil
	}
	for _, batch := range c.batches {
		count := len(batch.Rows)
		for _, e := range c.entries[:count] {
			v.rows.remove(e.row)
			if e.bad == "" {
				v.noteArchived(e.Sealed)
			}
			if err := v.checker.entry(e); err != nil {
				return err
			}
		}
		hashes := tlog.StoredHashCount(int64(batch.Size())) -
			tlog.StoredHashCount(int64(batch.First-1))
		if err := v.batch(batch, c.hashes[:hashes]); err != nil || v.stopped {
			return err
		}
		c.entries, c.hashes = c.entries[count:], c.hashes[hashes:]
	}
	return nil
}

// batch compares the tree at the end of a batch with the checkpoint of the batch. If the newest
// checkpoint is signed, earlier signatures need no check.
func (v *verifier) batch(b store.Batch, kept []tlog.Hash) error {
	v.marks(b)
	c := v.checker
	text, err := audit.ReadCheckpoint(b.Note)
	same := err == nil && text.Size == int64(b.Size()) && text.Root == b.Root
	root, err := c.tree.Root()
	if err != nil {
		return err
	}
	if root == b.Root && same && (v.signed || v.isSigned(b)) {
		if !slices.Equal(kept, c.added) {
			v.add(b, "the stored hashes of the tree are not those of the entries")
		}
		c.accept()
		return nil
	}
	// Something is wrong here. Trust what is signed.
	opened, err := audit.OpenCheckpoint(b.Note, v.Keys.LogVerifier())
	if err != nil || opened.Size != int64(b.Size()) {
		v.add(b, "their checkpoint is not signed by the key of this log")
		v.stopped = true
		return nil
	}
	if opened.Root != b.Root {
		v.add(b, "the root stored with their checkpoint is not the signed one")
	}
	if root == opened.Root {
		c.accept()
		return nil
	}
	replayed, err := c.replay(leavesOf(b, kept), opened.Root)
	if err != nil || replayed {
		return err
	}
	if _, _, named := c.suspects(); !named {
		v.add(b, "they are not what was sealed")
	}
	v.stopped = true
	return nil
}

// marks checks the values that a sealer continues from, which no hash protects: with a greater row
// it would skip the next entries.
func (v *verifier) marks(b store.Batch) {
	for _, place := range b.Rows {
		v.newest = max(v.newest, place.Row)
	}
	if b.NewestRow != v.newest || b.SettledRow > v.newest || b.FirstEvent != v.events+1 {
		v.add(b, "the marks for the next batch are not those of the entries")
	}
	v.events = b.Events()
}

func (v *verifier) add(b store.Batch, text string) {
	v.report.add(Finding{First: b.First, Last: b.Size(), Text: text})
}

// leavesOf returns the leaf hashes among the hashes that a batch added.
func leavesOf(b store.Batch, kept []tlog.Hash) []tlog.Hash {
	first := int64(b.First - 1)
	leaves := make([]tlog.Hash, len(b.Rows))
	for i := range leaves {
		leaves[i] = kept[tlog.StoredHashIndex(0, first+int64(i))-tlog.StoredHashCount(first)]
	}
	return leaves
}

// checkUnsealed checks the rows that no batch names. Rows that were sealed after they were listed
// are in the newer batches.
func (v *verifier) checkUnsealed(ctx context.Context) error {
	if v.stopped {
		return nil // the rows of the later batches are not known
	}
	var entries []store.LogEntry
	err := v.store.View(ctx, func(r store.Tx) error {
		newer, err := r.AuditLog().ListBatches(v.head.Size(), 1<<20)
		if err != nil {
			return err
		}
		for _, batch := range newer {
			for _, place := range batch.Rows {
				v.rows.remove(place.Row)
			}
		}
		left := v.rows.all()
		if len(left) == 0 {
			return nil
		}
		v.report.Waiting = len(left)
		var gaps []store.RowRange
		for _, row := range left[:min(len(left), unsealedLimit)] {
			if row <= 0 {
				v.report.add(Finding{Row: row, Text: "has a number that the database never " +
					"assigns"})
				continue
			}
			gaps = append(gaps, store.RowRange{First: row, Last: row})
		}
		unsealed, err := r.AuditLog().ListUnsealed(store.UnsealedQuery{Gaps: gaps})
		entries = unsealed.Entries
		return err
	})
	if err != nil {
		return err
	}
	for _, e := range entries {
		v.waiting(e)
	}
	return nil
}

// waiting checks an unsealed entry.
func (v *verifier) waiting(e store.LogEntry) {
	if v.report.Oldest.IsZero() {
		v.report.Oldest = e.At
	}
	text := ""
	switch {
	case len(e.Digest) > 0 && !v.Keys.CheckEntry(e.AppendContent(nil), e.Digest):
		text = "was changed or made up: its digest does not fit"
	case !v.checker.undigested.allows(e.At, len(e.Digest) > 0):
		text = "has no digest, unlike every entry of its time: it was made up"
	case e.Row <= v.head.SettledRow:
		text = "is among rows that were sealed long ago: it was inserted later"
	case e.Row < v.head.NewestRow && v.head.At.Sub(e.At) > unsealedTime:
		text = "was left out when newer ones were sealed"
	}
	if len(e.Digest) > 0 {
		part := randomPart(e.Digest)
		if _, copied := v.checker.digests[part]; copied && text == "" {
			text = "is a copy of another entry"
		}
		v.checker.digests[part] = 0
	}
	if text != "" {
		v.report.add(Finding{Row: e.Row, Text: text})
		return
	}
	v.noteArchived(e.Sealed)
}
