package sqlstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// auditLog implements store.AuditLog: the table audit in its sealed order.
type auditLog struct{ *tx }

// batchesAtOnce is the number of batches that a list reads at a time. Most have a few entries.
const batchesAtOnce = 64

// List returns sealed entries after a sequence.
func (t auditLog) List(afterSequence, limit int) ([]store.LogEntry, error) {
	archived, err := t.FindArchived()
	if err != nil {
		return nil, err
	}
	after := max(afterSequence, archived)
	var entries []store.LogEntry
	for len(entries) < limit {
		next, err := t.ListBatches(after, min(batchesAtOnce, limit-len(entries)))
		if err != nil || len(next) == 0 {
			return entries, err
		}
		var wanted []store.LogEntry
		for _, batch := range next {
			for _, place := range batchPlaces(batch) {
				if place.Sequence > after && len(wanted) < limit-len(entries) {
					wanted = append(wanted, place)
				}
			}
		}
		if len(wanted) == 0 {
			return entries, nil // the batch is damaged
		}
		after = wanted[len(wanted)-1].Sequence
		entries, err = t.fill(entries, wanted)
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

const (
	fromBatchOfEvent = ` FROM sealed_batches WHERE first_event <= $1
		ORDER BY first_event DESC, first_sequence DESC LIMIT 1`
	findBatchOfEvent = `SELECT ` + batchColumns + fromBatchOfEvent
	findFirstOfEvent = `SELECT first_sequence` + fromBatchOfEvent
	// No batch before this one has entries with a row, because they were archived.
	findFirstKept = `SELECT COALESCE(MAX(first_sequence), 0) FROM sealed_batches
		WHERE first_sequence <= 1 + (
			SELECT COALESCE(MAX(through_sequence), 0) FROM archived_entries)`
	listEventBatches = `SELECT ` + batchColumns + ` FROM sealed_batches
		WHERE first_sequence >= $1 ORDER BY first_sequence LIMIT 0 + $2`
)

// FindEvent reads the only batch that can contain the event.
func (t auditLog) FindEvent(event int) (store.LogEntry, error) {
	batch, err := db.One(t.session, scanBatch, findBatchOfEvent, event)
	if err != nil {
		return store.LogEntry{}, err
	}
	places := slices.DeleteFunc(batchPlaces(batch), func(place store.LogEntry) bool {
		return place.Event != event
	})
	entries, err := t.fill(nil, places)
	if err == nil && len(entries) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.LogEntry{}, err
	}
	return entries[0], nil
}

// ListEvents returns sealed events after an event sequence.
func (t auditLog) ListEvents(afterEvent, limit int) ([]store.LogEntry, error) {
	first, kept, archived := 0, 0, 0
	err := t.session.Query(
		db.Row([]any{&first}, findFirstOfEvent, afterEvent+1),
		db.Row([]any{&kept}, findFirstKept), db.Row([]any{&archived}, findArchived),
	)
	if err != nil || first == 0 {
		return nil, err
	}
	first = max(first, kept)
	var entries []store.LogEntry
	for len(entries) < limit {
		left := limit - len(entries)
		next, err := db.List(t.session, scanBatch, listEventBatches, first,
			min(batchesAtOnce, left))
		if err != nil || len(next) == 0 {
			return entries, err
		}
		var wanted []store.LogEntry
		for _, batch := range next {
			for _, place := range batchPlaces(batch) {
				if place.Event > afterEvent && place.Sequence > archived && len(wanted) < left {
					wanted = append(wanted, place)
				}
			}
			if len(wanted) == left {
				break // if rows are gone, the rest of the batch is read next
			}
			first = batch.Size() + 1
		}
		if len(wanted) > 0 {
			afterEvent = wanted[len(wanted)-1].Event
		}
		entries, err = t.fill(entries, wanted)
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// batchPlaces returns the entries of a batch with only their places filled in.
func batchPlaces(b store.Batch) []store.LogEntry {
	all := make([]store.LogEntry, len(b.Rows))
	event := b.FirstEvent
	for i, row := range b.Rows {
		all[i].Sequence, all[i].Row = b.First+i, row.Row
		if row.IsEvent {
			all[i].Event = event
			event++
		}
	}
	return all
}

const listEntryRange = `SELECT ` + entryColumns + ` FROM audit
	WHERE audit_id >= $1 AND audit_id <= $2`

// fill reads the rows of wanted entries and appends the completed entries. It leaves out those
// without a row.
func (t auditLog) fill(entries, wanted []store.LogEntry) ([]store.LogEntry, error) {
	numbers := make([]int, len(wanted))
	for i, place := range wanted {
		numbers[i] = place.Row
	}
	rows, err := t.findRows(numbers)
	if err != nil {
		return nil, err
	}
	for _, place := range wanted {
		entry, there := rows[place.Row]
		if !there {
			continue
		}
		entry.Sequence, entry.Event = place.Sequence, place.Event
		entries = append(entries, entry)
	}
	return entries, nil
}

// findRows returns rows by their numbers, possibly with some that lie between them.
func (t auditLog) findRows(numbers []int) (map[int]store.LogEntry, error) {
	logEntry := make(map[int]store.LogEntry, len(numbers))
	var queries []db.Query
	for _, run := range rowRuns(numbers) {
		queries = append(queries, db.Query{
			Text: listEntryRange, Args: []any{run.First, run.Last},
			Each: func(row db.Scan) error {
				entry, err := scanEntry(row)
				logEntry[entry.Row] = entry
				return err
			},
		})
	}
	if len(queries) == 0 {
		return logEntry, nil
	}
	return logEntry, t.session.Query(queries...)
}

const (
	listEntriesAbove = `SELECT ` + entryColumns + ` FROM audit WHERE audit_id > $1
		ORDER BY audit_id LIMIT 0 + $2`
	listRows = `SELECT audit_id FROM audit WHERE audit_id > $1
		ORDER BY audit_id LIMIT 0 + $2`
	listRowsBetween = `SELECT audit_id FROM audit WHERE audit_id >= $1 AND audit_id <= $2`
	listRowsNamed   = `SELECT audit_id FROM audit WHERE audit_id IN `
)

// ListRows returns the numbers of rows above a given number.
func (t auditLog) ListRows(above, limit int) ([]int, error) {
	return db.List(t.session, scanNumber, listRows, above, limit)
}

func (t auditLog) ListUnsealed(q store.UnsealedQuery) (store.Unsealed, error) {
	var u store.Unsealed
	unfinished, err := t.session.Unfinished()
	if err != nil {
		return u, err
	}
	u.InOrder, u.Oldest = unfinished.InOrder, unfinished.Oldest
	late, err := t.listLate(q.Gaps)
	if err != nil {
		return u, err
	}
	rows, err := t.findRows(late)
	if err != nil {
		return u, err
	}
	for _, number := range slices.Sorted(slices.Values(late)) {
		if entry, there := rows[number]; there {
			u.Entries = append(u.Entries, entry)
		}
	}
	newer, err := db.List(t.session, scanEntry, listEntriesAbove, q.Above, q.Limit)
	u.Entries = append(u.Entries, newer...)
	return u, err
}

// listLate returns the numbers of rows that have appeared in gaps. It looks up few numbers one by
// one, and many by the range that contains them.
func (t auditLog) listLate(gaps []store.RowRange) ([]int, error) {
	const few = 4096
	if len(gaps) == 0 {
		return nil, nil
	}
	var numbers []int
	for _, gap := range gaps {
		if gap.Last-gap.First >= few || len(numbers) > few {
			return t.listBetween(gaps)
		}
		for number := gap.First; number <= gap.Last; number++ {
			numbers = append(numbers, number)
		}
	}
	return db.FindMany(t.session, scanNumber, listRowsNamed, numbers)
}

func (t auditLog) listBetween(gaps []store.RowRange) ([]int, error) {
	all, err := db.List(t.session, scanNumber, listRowsBetween,
		gaps[0].First, gaps[len(gaps)-1].Last)
	return slices.DeleteFunc(all, func(number int) bool {
		_, within := slices.BinarySearchFunc(gaps, number, func(gap store.RowRange, of int) int {
			switch {
			case gap.Last < of:
				return -1
			case gap.First > of:
				return 1
			}
			return 0
		})
		return !within
	}), err
}

const (
	deleteEntry = `DELETE FROM audit WHERE audit_id = $1`
	putArchived = `INSERT INTO archived_entries (through_sequence, archived_at) VALUES ($1, $2)`
)

// DeleteThrough deletes rows of entries up to a sequence, and records how far it got.
func (t auditLog) DeleteThrough(sequence, limit int) (int, error) {
	after, err := t.FindArchived()
	if err != nil {
		return 0, t.session.Fail(err)
	}
	now, err := t.session.Now()
	if err != nil {
		return 0, t.session.Fail(err)
	}
	const batchesAtOnce = 8 // each may hold more entries than are to be deleted
	last, end := after, min(sequence, after+limit)
	for more := true; more && last < end; {
		batches, err := t.ListBatches(last, batchesAtOnce)
		if err != nil {
			return 0, t.session.Fail(err)
		}
		more = false
		for _, batch := range batches {
			for _, place := range batchPlaces(batch) {
				if place.Sequence <= last || place.Sequence > end {
					continue
				}
				if err := t.session.Write(deleteEntry, place.Row); err != nil {
					return 0, err
				}
				last, more = place.Sequence, true
			}
		}
	}
	if last == after {
		return 0, nil
	}
	return last - after, t.session.Write(putArchived, last, db.Millis(now))
}

const (
	batchColumns = `first_sequence, entries, audit_ids, newest_audit_id, settled_audit_id,
		first_event, transaction_id, sealed_at, root, note`

	findHeadBatch = `SELECT ` + batchColumns + ` FROM sealed_batches
		ORDER BY first_sequence DESC LIMIT 1`

	// The first batch is the one that contains the sequence.
	listBatches = `SELECT ` + batchColumns + ` FROM sealed_batches
		WHERE first_sequence >= (SELECT MAX(first_sequence) FROM sealed_batches
			WHERE first_sequence <= $1)
		ORDER BY first_sequence LIMIT 0 + $2`

	listBatchesAbove = `SELECT ` + batchColumns + ` FROM sealed_batches WHERE newest_audit_id > $1
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
	// Damaged data is decoded as far as possible: package auditlog finds the damage.
	b.Rows = decodeRows(rows, entries)
	copy(b.Root[:], root)
	return b, nil
}

// FindHead returns the newest batch.
func (t auditLog) FindHead() (store.Batch, error) {
	return db.One(t.session, scanBatch, findHeadBatch)
}

// ListBatches returns batches that contain entries after a sequence.
func (t auditLog) ListBatches(afterSequence, limit int) ([]store.Batch, error) {
	batches, err := db.List(t.session, scanBatch, listBatches, afterSequence+1, limit)
	if len(batches) > 0 && batches[0].Size() <= afterSequence {
		batches = batches[1:]
	}
	return batches, err
}

// ListBatchesAbove returns the batches from the first one that names a row above a given number.
func (t auditLog) ListBatchesAbove(row int) ([]store.Batch, error) {
	return db.List(t.session, scanBatch, listBatchesAbove, row)
}

// SQL counts the bytes of a string from 1.
const findHash = `SELECT substr(hashes, CAST(32 * ($1 - first_hash) + 1 AS INTEGER), 32)
	FROM sealed_hashes WHERE first_hash <= $1 ORDER BY first_hash DESC LIMIT 1`

// FindHashes returns hashes of the tree by their indexes, in one round trip.
func (t auditLog) FindHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	queries := make([]db.Query, len(indexes))
	texts := make([][]byte, len(indexes))
	for i, index := range indexes {
		queries[i] = db.Row([]any{&texts[i]}, findHash, index)
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	for i, text := range texts {
		if len(text) != tlog.HashSize {
			return nil, fmt.Errorf("hash %d of the log: %w", indexes[i], store.ErrNotFound)
		}
		copy(hashes[i][:], text)
	}
	return hashes, nil
}

const listHashes = `SELECT first_hash, hashes FROM sealed_hashes
	WHERE first_hash >= $1 AND first_hash < $2 ORDER BY first_hash`

// ListHashes returns the hashes from one index up to, but not including, another.
func (t auditLog) ListHashes(from, to int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, to-from)
	return hashes, t.session.Query(db.Query{
		Text: listHashes, Args: []any{from, to}, Each: func(row db.Scan) error {
			var first int64
			var packed []byte
			if err := row(&first, &packed); err != nil {
				return err
			}
			for at := first - from; len(packed) > 0 && at < to-from; at++ {
				packed = packed[copy(hashes[at][:], packed):]
			}
			return nil
		},
	})
}

const findArchived = `SELECT COALESCE(MAX(through_sequence), 0) FROM archived_entries`

// FindArchived returns the sequence up to which entries have been archived.
func (t auditLog) FindArchived() (sequence int, err error) {
	_, err = db.Find(t.session, []any{&sequence}, findArchived)
	return sequence, err
}

const (
	putBatch = `INSERT INTO sealed_batches (first_sequence, audit_ids, newest_audit_id,
			settled_audit_id, first_event, sealed_at, root, note, entries)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	putHashes = `INSERT INTO sealed_hashes (first_hash, hashes) VALUES ($1, $2)`
)

// PutBatch inserts a batch and its hashes.
func (t auditLog) PutBatch(b store.Batch, hashes []tlog.Hash) error {
	rows, err := encodeRows(b.Rows)
	if err != nil {
		return t.session.Fail(err)
	}
	packed := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, hash := range hashes {
		packed = append(packed, hash[:]...)
	}
	err = t.session.Write(putBatch, b.First, rows, b.NewestRow, b.SettledRow, b.FirstEvent,
		db.Millis(b.At), b.Root[:], b.Note, len(b.Rows))
	if err != nil {
		return err
	}
	return t.session.Write(putHashes, tlog.StoredHashCount(int64(b.First-1)), packed)
}

var errRowOrder = errors.New("sealing: the rows of a batch are out of order")

// encodeRows packs the rows of a batch: for each row, a varint of the distance from the previous
// row, whose lowest bit is set for an event.
func encodeRows(rows []store.SealedRow) ([]byte, error) {
	packed := make([]byte, 0, 2*len(rows))
	before := 0
	for _, row := range rows {
		if row.Row <= before {
			return nil, errRowOrder
		}
		step := uint64(row.Row-before) << 1
		if row.IsEvent {
			step++
		}
		packed = binary.AppendUvarint(packed, step)
		before = row.Row
	}
	return packed, nil
}

// decodeRows decodes what encodeRows writes. Places that are missing from damaged bytes get row 0,
// which does not exist.
func decodeRows(packed []byte, count int) []store.SealedRow {
	const most = 1 << 20 // more than a batch ever has; a damaged count must not exhaust memory
	rows := make([]store.SealedRow, min(max(count, 0), most))
	before := 0
	for i := range rows {
		step, length := binary.Uvarint(packed)
		if length <= 0 {
			break
		}
		packed = packed[length:]
		before += int(step >> 1)
		rows[i] = store.SealedRow{Row: before, IsEvent: step&1 == 1}
	}
	return rows
}

// rowRuns groups rows into ranges with few other rows between them, so that one query reads a
// range.
func rowRuns(rows []int) []store.RowRange {
	const nearby = 16
	var runs []store.RowRange
	for _, row := range slices.Sorted(slices.Values(rows)) {
		if row <= 0 {
			continue // from damaged bytes
		}
		if last := len(runs) - 1; last >= 0 && row-runs[last].Last <= nearby {
			runs[last].Last = row
			continue
		}
		runs = append(runs, store.RowRange{First: row, Last: row})
	}
	return runs
}
