package sealing

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Batches are the rows of the table sealed_batches and the hashes that they have added.
type Batches struct{ Session db.Session }

const (
	batchColumns = `first_sequence, entries, audit_ids, newest_audit_id, settled_audit_id,
		first_event, transaction_id, sealed_at, root, note`

	findHead = `SELECT ` + batchColumns + ` FROM sealed_batches
		ORDER BY first_sequence DESC LIMIT 1`

	// The first batch is the one that holds the sequence.
	listBatches = `SELECT ` + batchColumns + ` FROM sealed_batches
		WHERE first_sequence >= (SELECT MAX(first_sequence) FROM sealed_batches
			WHERE first_sequence <= $1)
		ORDER BY first_sequence LIMIT 0 + $2`

	listAbove = `SELECT ` + batchColumns + ` FROM sealed_batches WHERE newest_audit_id > $1
		ORDER BY newest_audit_id, first_sequence`
)

func scanBatch(row db.Scan) (store.Batch, error) {
	var b store.Batch
	var entries int
	var rows, root []byte
	err := row(&b.First, &entries, &rows, &b.NewestRow, &b.SettledRow, &b.FirstEvent,
		&b.Transaction, db.Time{To: &b.At}, &root, &b.Note)
	if err != nil {
		return b, err
	}
	// What somebody has damaged is read as far as that goes: package auditlog finds the damage.
	b.Rows = decodeRows(rows, entries)
	copy(b.Root[:], root)
	return b, nil
}

// FindHead returns the newest batch.
func (t Batches) FindHead() (store.Batch, error) {
	found, err := db.List(t.Session, scanBatch, findHead)
	if err != nil {
		return store.Batch{}, err
	}
	if len(found) == 0 {
		return store.Batch{}, store.ErrNotFound
	}
	return found[0], nil
}

// List returns batches that hold entries behind a sequence.
func (t Batches) List(afterSequence, limit int) ([]store.Batch, error) {
	found, err := db.List(t.Session, scanBatch, listBatches, afterSequence+1, limit)
	if len(found) > 0 && found[0].Size() <= afterSequence {
		found = found[1:]
	}
	return found, err
}

// ListAbove returns the batches since the first that names a row above a number.
func (t Batches) ListAbove(row int) ([]store.Batch, error) {
	return db.List(t.Session, scanBatch, listAbove, row)
}

// SQL counts the bytes of a text from 1.
const findHash = `SELECT substr(hashes, CAST(32 * ($1 - first_hash) + 1 AS INTEGER), 32)
	FROM sealed_hashes WHERE first_hash <= $1 ORDER BY first_hash DESC LIMIT 1`

// FindHashes returns hashes of the tree by their indexes, in one round trip.
func (t Batches) FindHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	queries := make([]db.Query, len(indexes))
	texts := make([][]byte, len(indexes))
	for i, index := range indexes {
		queries[i] = db.Row([]any{&texts[i]}, findHash, index)
	}
	if err := t.Session.Query(queries...); err != nil {
		return nil, err
	}
	for i, text := range texts {
		if len(text) != tlog.HashSize {
			return nil, fmt.Errorf("hash %d of the log: %w", indexes[i], store.ErrNotFound)
		}
		copy(found[i][:], text)
	}
	return found, nil
}

const listHashes = `SELECT first_hash, hashes FROM sealed_hashes
	WHERE first_hash >= $1 AND first_hash < $2 ORDER BY first_hash`

// ListHashes returns the hashes between two indexes.
func (t Batches) ListHashes(from, to int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, to-from)
	return found, t.Session.Query(db.Query{
		Text: listHashes, Args: []any{from, to}, Each: func(row db.Scan) error {
			var first int64
			var packed []byte
			if err := row(&first, &packed); err != nil {
				return err
			}
			for at := first - from; len(packed) > 0 && at < to-from; at++ {
				packed = packed[copy(found[at][:], packed):]
			}
			return nil
		},
	})
}

const findArchived = `SELECT COALESCE(MAX(through_sequence), 0) FROM archived_entries`

// FindArchived returns the sequence up to which entries were archived.
func (t Batches) FindArchived() (sequence int, err error) {
	_, err = db.Find(t.Session, []any{&sequence}, findArchived)
	return sequence, err
}

const (
	putBatch = `INSERT INTO sealed_batches (first_sequence, audit_ids, newest_audit_id,
			settled_audit_id, first_event, sealed_at, root, note, entries)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	putHashes = `INSERT INTO sealed_hashes (first_hash, hashes) VALUES ($1, $2)`
)

// Put inserts a batch and its hashes.
func (t Batches) Put(b store.Batch, hashes []tlog.Hash) error {
	rows, err := encodeRows(b.Rows)
	if err != nil {
		return t.Session.Fail(err)
	}
	packed := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, hash := range hashes {
		packed = append(packed, hash[:]...)
	}
	err = t.Session.Write(putBatch, b.First, rows, b.NewestRow, b.SettledRow, b.FirstEvent,
		db.Millis(b.At), b.Root[:], b.Note, len(b.Rows))
	if err != nil {
		return err
	}
	return t.Session.Write(putHashes, tlog.StoredHashCount(int64(b.First-1)), packed)
}
