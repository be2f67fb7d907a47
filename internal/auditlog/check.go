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

// checked is an entry on its way through a check.
type checked struct {
	audit.Sealed
	row  int
	leaf tlog.Hash
	gone bool // there is no entry; leaf is what was kept of it
	// bare says that only the hash is known, because the entry was archived.
	bare bool
	bad  string // why the entry cannot be what was sealed; empty for none
}

// checker rebuilds the log from its entries, in their order.
type checker struct {
	key    note.Verifier
	report *Report
	tree   *audit.Tree

	// before is the tree before the entries since the last point at which it was right.
	before  *audit.Tree
	pending []checked
	added   []tlog.Hash // by the pending entries

	undigested undigested
	digests    map[uint64]int // the sequence of the entry, by the random part of its digest
	elsewhere  []elsewhere
	doubts     []elsewhere // those that the entries since before do not fit
	trusted    int         // up to here a checkpoint from elsewhere agrees
	events     int
}

// elsewhere is a checkpoint that was kept outside of the database.
type elsewhere struct {
	audit.Checkpoint
	text  string
	found tlog.Hash // the root of the entries up to there, when it is another one
}

// newChecker returns a checker of a log, which is held against checkpoints that were kept
// elsewhere. One that is not signed by the log's key is an error.
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
		c.elsewhere = append(c.elsewhere, elsewhere{Checkpoint: opened, text: text})
	}
	slices.SortStableFunc(c.elsewhere, func(a, b elsewhere) int {
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

// digest looks whether an entry lacks a digest that it must have, or has that of another one.
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

// randomPart is enough of the random part of a digest to know it again. Two of a hundred million
// entries share it by chance once in five thousand such logs.
func randomPart(digest []byte) uint64 {
	var part [8]byte
	copy(part[:], digest)
	return binary.BigEndian.Uint64(part[:])
}

// event holds that events are numbered without a gap.
func (c *checker) event(e checked) {
	if e.Event == 0 {
		return
	}
	if c.report.Archived == 0 && e.Event != c.events+1 {
		c.find(e, fmt.Sprintf("is event %d, behind event %d", e.Event, c.events))
	}
	c.events = e.Event
}

// compare holds the tree against the checkpoints from elsewhere of its size.
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

// fork reports checkpoints from elsewhere that the entries do not fit. What is known of single
// entries by then says more.
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

// end looks whether the log was cut.
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

// accept remembers a point at which the tree has the root that it must have.
func (c *checker) accept() {
	c.fork()
	c.before, c.pending, c.added = c.tree.Clone(), c.pending[:0], c.added[:0]
}

// replay finds out which of the pending entries differ from the hashes that were kept of them, when
// these give a root that was signed. It reports false when they do not.
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
		doubts = slices.DeleteFunc(slices.Clone(doubts), func(e elsewhere) bool {
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

// suspects returns the pending entries as a range, or the first of them that was found to be bad.
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

// seen are numbers of rows. Numbers are dense, so there is a bit for each; a damaged number may be
// anything.
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
