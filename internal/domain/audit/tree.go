package audit

import (
	"fmt"
	"maps"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// LeafHash returns the hash of a sealed entry in the tree.
func (s Sealed) LeafHash() tlog.Hash { return tlog.RecordHash(s.AppendRecord(nil)) }

// Tree is the right edge of the Merkle tree over the log (RFC 6962): enough to append entries and
// compute the root. The caller stores the other hashes, which Append returns.
type Tree struct {
	size int64
	edge map[int64]tlog.Hash // roots of the complete subtrees, by their indexes
}

// NewTree returns the tree with size entries, and reads its edge from read.
func NewTree(size int64, read tlog.HashReader) (*Tree, error) {
	t := &Tree{size: size, edge: make(map[int64]tlog.Hash)}
	indexes := edgeIndexes(size)
	if len(indexes) == 0 {
		return t, nil
	}
	hashes, err := read.ReadHashes(indexes)
	if err != nil {
		return nil, err
	}
	for i, index := range indexes {
		t.edge[index] = hashes[i]
	}
	return t, nil
}

// edgeIndexes returns the indexes of the roots of the complete subtrees: one for each bit set in
// the size.
func edgeIndexes(size int64) []int64 {
	var indexes []int64
	for level := bits.Len64(uint64(size)) - 1; level >= 0; level-- {
		if size>>level&1 == 1 {
			indexes = append(indexes, tlog.StoredHashIndex(level, size>>level-1))
		}
	}
	return indexes
}

// Size returns the number of entries.
func (t *Tree) Size() int64 { return t.size }

// Append adds an entry by its hash, and returns the hashes that the entry adds to the dense list:
// its own, and those of the subtrees that it completes.
func (t *Tree) Append(leaf tlog.Hash) ([]tlog.Hash, error) {
	added, err := tlog.StoredHashesForRecordHash(t.size, leaf, t)
	if err != nil {
		return nil, err
	}
	// The last hash is the root of the subtrees that it joins, and replaces them.
	for level := range len(added) - 1 {
		delete(t.edge, tlog.StoredHashIndex(level, t.size>>level-1))
	}
	t.edge[tlog.StoredHashCount(t.size)+int64(len(added))-1] = added[len(added)-1]
	t.size++
	return added, nil
}

// Root returns the hash of the whole tree.
func (t *Tree) Root() (tlog.Hash, error) { return tlog.TreeHash(t.size, t) }

// ReadHashes returns hashes of the edge. It implements tlog.HashReader; package tlog requests no
// others.
func (t *Tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hash, there := t.edge[index]
		if !there {
			return nil, fmt.Errorf("audit: hash %d is not at the edge of a tree of %d entries",
				index, t.size)
		}
		hashes[i] = hash
	}
	return hashes, nil
}

// Clone returns an independent copy of the tree.
func (t *Tree) Clone() *Tree { return &Tree{size: t.size, edge: maps.Clone(t.edge)} }
