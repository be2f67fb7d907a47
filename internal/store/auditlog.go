package store

import (
	"errors"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
)

// AuditLog is the record of all acts in its sealed order. The sequence of entries starts at 1 and
// has no gaps; so does the event sequence, which numbers only the entries that are events. Both are
// assigned when a batch of entries is sealed, at most a second or two after the act. Batches are
// inserted and never changed.
type AuditLog interface {
	// FindHead returns the newest batch. It fails with ErrNotFound before the first batch.
	FindHead() (Batch, error)
	// ListBatches returns at most limit batches with entries after a sequence, in order.
	ListBatches(afterSequence, limit int) ([]Batch, error)
	// ListBatchesAbove returns all batches from the first one that contains a row above the given
	// number.
	ListBatchesAbove(row int) ([]Batch, error)
	// FindHashes returns hashes of the tree by their indexes in its dense list.
	FindHashes(indexes []int64) ([]tlog.Hash, error)
	// ListHashes returns the hashes from index from up to, but not including, index to; both must
	// be batch boundaries. Missing hashes are zero.
	ListHashes(from, to int64) ([]tlog.Hash, error)
	// FindArchived returns the sequence up to which entries are archived, 0 for none.
	FindArchived() (int, error)
	// PutBatch inserts a batch and the hashes it adds to the tree. It fails with ErrExists when
	// another batch starts at the same sequence.
	PutBatch(b Batch, hashes []tlog.Hash) error

	// List returns at most limit sealed entries after a sequence, in order. It skips entries whose
	// rows were removed by archiving. An empty list means that no more entries are sealed.
	List(afterSequence, limit int) ([]LogEntry, error)
	// FindEvent returns the entry with an event sequence.
	FindEvent(event int) (LogEntry, error)
	// ListEvents is List for entries that are events, by event sequence.
	ListEvents(afterEvent, limit int) ([]LogEntry, error)
	// ListUnsealed returns entries that are in no batch.
	ListUnsealed(q UnsealedQuery) (Unsealed, error)
	// ListRows returns the numbers of at most limit audit rows above a number, in order.
	ListRows(above, limit int) ([]int, error)
	// DeleteThrough removes at most limit rows of entries up to a sequence, oldest first, records
	// that they are archived, and returns how many it removed. Their hashes stay.
	DeleteThrough(sequence, limit int) (int, error)
}

// LogEntry is an entry that is sealed or waiting to be sealed.
type LogEntry struct {
	Row int // the number of the audit row
	audit.Sealed
}

// Batch is a run of entries that were sealed together, with the tree that ends with them.
type Batch struct {
	First int // sequence of the first entry
	Rows  []SealedRow

	// NewestRow is the greatest row number in this batch and all earlier ones. SettledRow is the
	// number up to which no new row can appear: every row up to it is in a batch or never will
	// exist.
	NewestRow, SettledRow int

	FirstEvent int // event sequence of the first event, or of the next one without any

	// Transaction is the number of the transaction that inserted the batch, where the database
	// numbers transactions. Put does not read it.
	Transaction int64

	At   time.Time
	Root tlog.Hash // of the tree of all entries up to the last one in this batch
	Note string    // the signed checkpoint
}

// SealedRow is a position in a batch.
type SealedRow struct {
	Row     int
	IsEvent bool
}

// Size returns the number of entries up to the last one in the batch.
func (b Batch) Size() int { return b.First + len(b.Rows) - 1 }

// Events returns the number of events up to the last one in the batch.
func (b Batch) Events() int {
	events := b.FirstEvent - 1
	for _, row := range b.Rows {
		if row.IsEvent {
			events++
		}
	}
	return events
}

// UnsealedQuery selects entries to seal: those above a row, and those in gaps below it.
type UnsealedQuery struct {
	Above int
	Limit int // for the entries above Above
	Gaps  []RowRange
}

// RowRange is the range of row numbers from First to Last, both included.
type RowRange struct{ First, Last int }

// Unsealed holds unsealed entries in row order.
type Unsealed struct {
	Entries []LogEntry

	// InOrder reports that rows become visible in the order of their numbers, so a gap is never
	// filled. Otherwise a row with a lower number can appear as long as its transaction is running,
	// and Oldest is the number of the oldest running transaction.
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
