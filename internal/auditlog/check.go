package auditlog

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
)

// checked is an entry that is being checked.
type checked struct {
	audit.Sealed
	row  int
	leaf tlog.Hash
	gone bool // the entry is missing; leaf is its stored hash
	// bare reports that only the hash is known, because the entry was archived.
	bare bool
	bad  string // why the entry cannot be the one that was sealed, or empty
}

// checker rebuilds the log from its entries, in order.
type checker struct {
	key    note.Verifier
	report *Report
	tree   *audit.Tree

	// before is the tree before the pending entries, at the last point where its root was right.
	before  *audit.Tree
	pending []checked
	added   []tlog.Hash // hashes that the pending entries added

	undigested undigested
	digests    map[uint64]int // sequence of an entry, by the random part of its digest
	elsewhere  []externalCheckpoint
	doubts     []externalCheckpoint // checkpoints that the pending entries contradict
	trusted    int                  // last entry up to which an external checkpoint agrees
	events     int
}

// externalCheckpoint is a checkpoint that was stored outside the database.
type externalCheckpoint struct {
	audit.Checkpoint
	text  string
	found tlog.Hash // the differing root of the entries up to its size
}

// newChecker returns a checker of a log that compares it with external checkpoints. It returns an
// error for a checkpoint that is not signed by the log's key.
func newChecker(key note.Verifier, report *Report, checkpoints []string) (*checker, error) {
	c := &checker{key: key, report: report, digests: make(map[uint64]int)}
	var err error
	c.tree, err = audit.NewTree(0, nil)
	if err != nil {
		return nil, err
	}
	c.before = c.tree.Clone()
	for _, text := range checkpoints {
		opened, err := audit.OpenCheckpoint(text, key)
		if err != nil {
			return nil, fmt.Errorf("the checkpoint kept elsewhere: %w", err)
		}
		c.elsewhere = append(c.elsewhere, externalCheckpoint{Checkpoint: opened, text: text})
	}
	slices.SortStableFunc(c.elsewhere, func(a, b externalCheckpoint) int {
		return cmp.Compare(a.Size, b.Size)
	})
	return c, nil
}

// entry adds an entry.
func (c *checker) entry(e checked) error {
	c.pending = append(c.pending, e)
	c.report.Entries = e.Sequence
	switch {
	case e.bad != "":
		c.find(e, e.bad)
	case e.bare:
		c.report.Archived++
		c.undigested.begun = true
	default:
		c.digest(e)
	}
	if !e.bare && !e.gone {
		c.event(e)
	}
	added, err := c.tree.Append(e.leaf)
	if err != nil {
		return err
	}
	c.added = append(c.added, added...)
	return c.compare()
}

func (c *checker) find(e checked, text string) {
	c.report.add(Finding{First: e.Sequence, Last: e.Sequence, Row: e.row, Text: text})
}

// digest checks that an entry has a digest if it must, and that the digest is not a copy of another
// entry's.
func (c *checker) digest(e checked) {
	if !c.undigested.allows(e.At, len(e.Digest) > 0) {
		c.find(e, "has no digest, unlike every entry of its time: it was made up")
	}
	if len(e.Digest) == 0 {
		c.report.Undigested++
		c.report.LastUndigested = e.Sequence
		return
	}
	key := randomPart(e.Digest)
	if first, there := c.digests[key]; there {
		c.find(e, fmt.Sprintf("is a copy of entry %d", first))
	}
	c.digests[key] = e.Sequence
}

// randomPart returns the first 8 bytes of the random part of a digest, enough to recognize it.
// Among a hundred million entries, two share them by chance in one of five thousand such logs.
func randomPart(digest []byte) uint64 {
	var part [8]byte
	copy(part[:], digest)
	return binary.BigEndian.Uint64(part[:])
}

// event checks that events are numbered without a gap.
func (c *checker) event(e checked) {
	if e.Event == 0 {
		return
	}
	if c.report.Archived == 0 && e.Event != c.events+1 {
		c.find(e, fmt.Sprintf("is event %d, behind event %d", e.Event, c.events))
	}
	c.events = e.Event
}

// compare compares the tree with the external checkpoints of its size.
func (c *checker) compare() error {
	for len(c.elsewhere) > 0 && c.elsewhere[0].Size <= c.tree.Size() {
		kept := c.elsewhere[0]
		c.elsewhere = c.elsewhere[1:]
		root, err := c.tree.Root()
		if err != nil {
			return err
		}
		if kept.Size < c.tree.Size() { // of an empty log: nothing to compare
			continue
		}
		if root != kept.Root {
			kept.found = root
			c.doubts = append(c.doubts, kept)
			continue
		}
		if len(c.doubts) == 0 {
			c.trusted = int(kept.Size)
		}
	}
	return nil
}

// fork reports external checkpoints that the entries contradict. Findings about single entries
// narrow the range.
func (c *checker) fork() {
	for _, kept := range c.doubts {
		first := c.trusted + 1
		if known := c.report.Findings; len(known) > 0 {
			first = max(first, known[0].First)
		}
		c.report.add(Finding{First: min(first, int(kept.Size)), Last: int(kept.Size),
			Text: fmt.Sprintf("the log is not that of the checkpoint kept elsewhere. It "+
				"says\n%s\nand the entries give the root %s. The newest checkpoint of the log "+
				"says\n%s", kept.text, kept.found, c.report.Checkpoint)})
	}
	c.doubts = nil
}

// end checks whether the log was truncated.
func (c *checker) end() {
	c.fork()
	for _, kept := range c.elsewhere {
		if kept.Size <= c.tree.Size() {
			continue
		}
		text := fmt.Sprintf("the log ends at entry %d; entries were removed from its end. The "+
			"checkpoint kept elsewhere says\n%s\nand the newest of the log\n%s",
			c.tree.Size(), kept.text, c.report.Checkpoint)
		c.report.add(Finding{First: int(c.tree.Size()) + 1, Last: int(kept.Size), Text: text})
	}
}

// accept records that the tree has the right root at this point.
func (c *checker) accept() {
	c.fork()
	c.before, c.pending, c.added = c.tree.Clone(), c.pending[:0], c.added[:0]
}

// replay finds the pending entries that differ from their stored hashes, if those hashes lead to a
// signed root. If they do not, it returns false.
func (c *checker) replay(kept []tlog.Hash, root tlog.Hash) (bool, error) {
	if len(kept) != len(c.pending) {
		return false, nil
	}
	tree := c.before.Clone()
	doubts := c.doubts
	for _, hash := range kept {
		if _, err := tree.Append(hash); err != nil {
			return false, err
		}
		root, err := tree.Root()
		if err != nil {
			return false, err
		}
		doubts = slices.DeleteFunc(slices.Clone(doubts), func(e externalCheckpoint) bool {
			return e.Size == tree.Size() && e.Root == root
		})
	}
	hash, err := tree.Root()
	if err != nil || hash != root {
		return false, err
	}
	for i, e := range c.pending {
		if e.leaf != kept[i] && e.bad == "" {
			c.find(e, "is not the entry that was sealed: it was changed or moved")
		}
	}
	c.tree, c.doubts = tree, doubts
	c.accept()
	return true, nil
}

// suspects returns the range of the pending entries, or the first one that is known to be bad.
func (c *checker) suspects() (first, last int, named bool) {
	if len(c.pending) == 0 {
		return 0, 0, false
	}
	for _, e := range c.pending {
		if e.bad != "" {
			return e.Sequence, e.Sequence, true
		}
	}
	return c.pending[0].Sequence, c.pending[len(c.pending)-1].Sequence, false
}

// seen is a set of row numbers. They are dense, so each has a bit; far holds implausible numbers,
// which a damaged row may have.
type seen struct {
	bits []uint64
	far  map[int]bool
}

const farRow = 1 << 33

func (s *seen) add(row int) {
	if row < 0 || row >= farRow {
		if s.far == nil {
			s.far = make(map[int]bool)
		}
		s.far[row] = true
		return
	}
	for row/64 >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.bits[row/64] |= 1 << (row % 64)
}

func (s *seen) remove(row int) {
	delete(s.far, row)
	if row >= 0 && row/64 < len(s.bits) {
		s.bits[row/64] &^= 1 << (row % 64)
	}
}

func (s *seen) all() []int {
	var rows []int
	for i, word := range s.bits {
		for bit := range 64 {
			if word>>bit&1 == 1 {
				rows = append(rows, i*64+bit)
			}
		}
	}
	return append(rows, slices.Sorted(maps.Keys(s.far))...)
}
