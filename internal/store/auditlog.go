package store

import (
	"errors"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
)

// AuditLog is the record of all acts in its sealed order. The sequence of an entry is dense and
// begins at 1; so does the event sequence, which only events have. Both are assigned
// when a batch of entries is sealed, at most a second or two behind the act. Batches are inserted
// and never changed.
type AuditLog interface {
	// FindHead returns the newest batch. Before the first it fails with ErrNotFound.
	FindHead() (Batch, error)
	// ListBatches returns at most limit batches that hold entries behind a sequence, in their
	// order.
	ListBatches(afterSequence, limit int) ([]Batch, error)
	// ListBatchesAbove returns the batches from the first on that names a row above a number.
	ListBatchesAbove(row int) ([]Batch, error)
	// FindHashes returns hashes of the tree by their indexes in its dense list.
	FindHashes(indexes []int64) ([]tlog.Hash, error)
	// ListHashes returns the hashes from one index to before another, which begin and end with
	// batches. Those that are missing are zero.
	ListHashes(from, to int64) ([]tlog.Hash, error)
	// FindArchived returns the sequence up to which entries were archived, 0 for none.
	FindArchived() (int, error)
	// PutBatch inserts a batch with the hashes that it adds to the tree. It fails with ErrExists
	// when another batch begins at the same sequence.
	PutBatch(b Batch, hashes []tlog.Hash) error

	// List returns at most limit sealed entries behind a sequence, in their order. Entries whose
	// rows are gone, because they were archived, are passed over. An empty list means that nothing
	// more is sealed.
	List(afterSequence, limit int) ([]LogEntry, error)
	// FindEvent returns the entry with an event sequence.
	FindEvent(event int) (LogEntry, error)
	// ListEvents is List for entries that are events, by the event sequence.
	ListEvents(afterEvent, limit int) ([]LogEntry, error)
	// ListUnsealed returns entries that no batch has sealed.
	ListUnsealed(q UnsealedQuery) (Unsealed, error)
	// ListRows returns at most limit numbers of audit rows above a number, in their order.
	ListRows(above, limit int) ([]int, error)
	// DeleteThrough removes at most limit rows of entries up to a sequence, the oldest first, and
	// remembers that they were archived. It returns how many it has removed. Their hashes stay.
	DeleteThrough(sequence, limit int) (int, error)
}

// LogEntry is an entry that is sealed, or that waits to be sealed.
type LogEntry struct {
	Row int // the number of the audit row
	audit.Sealed
}

// Batch is a run of entries that were sealed together, and the tree that they end.
type Batch struct {
	First int // sequence of the first entry
	Rows  []SealedRow

	// NewestRow is the greatest number of a row in this batch or in one before. No row with a
	// number of at most SettledRow that no batch names can still appear.
	NewestRow, SettledRow int

	FirstEvent int // the event sequence of the first event, or of the next one

	// Transaction is the number of the transaction that has put the batch, where the database
	// numbers them. Put does not read it.
	Transaction int64

	At   time.Time
	Root tlog.Hash // of the tree of all entries up to the last of this batch
	Note string    // the signed checkpoint
}

// SealedRow is a place in a batch.
type SealedRow struct {
	Row     int
	IsEvent bool
}

// Size is the number of entries up to the last of the batch.
func (b Batch) Size() int { return b.First + len(b.Rows) - 1 }

// Events is the number of events up to the last of the batch.
func (b Batch) Events() int {
	events := b.FirstEvent - 1
	for _, row := range b.Rows {
		if row.IsEvent {
			events++
		}
	}
	return events
}

// UnsealedQuery asks for entries to seal: those above a row, and those in gaps below it.
type UnsealedQuery struct {
	Above int
	Limit int // of those above
	Gaps  []RowRange
}

// RowRange are the numbers of rows from First to Last.
type RowRange struct{ First, Last int }

// Unsealed are entries in the order of their rows.
type Unsealed struct {
	Entries []LogEntry

	// InOrder says that rows become visible in the order of their numbers, so that no gap is ever
	// filled. Otherwise a row with a lower number can appear as long as its transaction runs.
	// Oldest is the number of the oldest transaction that runs.
	InOrder bool
	Oldest  int64
}

// NewestEvent returns the sequence of the newest event, 0 before the first.
func NewestEvent(r Tx) (int, error) {
	head, err := r.AuditLog().FindHead()
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return head.Events(), nil
}
