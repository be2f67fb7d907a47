package auditlog

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Proof proves that an entry is in the log of a checkpoint.
type Proof struct {
	Entry      audit.Line  `json:"entry"`
	Index      int64       `json:"index"` // position in the tree, from 0
	Size       int64       `json:"size"`  // of the tree
	Hashes     []tlog.Hash `json:"hashes"`
	Checkpoint string      `json:"checkpoint"`
}

// Prove returns an entry with the proof that it is in the newest log. For an entry that is not
// sealed yet, or no longer there, the error is store.ErrNotFound.
func Prove(ctx context.Context, kept store.Store, sequence int) (Proof, error) {
	return store.ViewOf(ctx, kept, func(r store.Tx) (Proof, error) {
		head, err := FindHead(r)
		if err != nil {
			return Proof{}, err
		}
		entries, err := r.AuditLog().List(sequence-1, 1)
		if err != nil {
			return Proof{}, err
		}
		if sequence < 1 || len(entries) == 0 || entries[0].Sequence != sequence {
			return Proof{}, fmt.Errorf("entry %d: %w", sequence, store.ErrNotFound)
		}
		p := Proof{
			Entry: audit.LineOf(entries[0].Sealed), Index: int64(sequence - 1),
			Size: int64(head.Size()), Checkpoint: head.Note,
		}
		p.Hashes, err = tlog.ProveRecord(p.Size, p.Index,
			tlog.HashReaderFunc(r.AuditLog().FindHashes))
		return p, err
	})
}
