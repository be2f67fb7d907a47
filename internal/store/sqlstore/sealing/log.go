package sealing

import (
	"slices"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Log are the rows of the table audit in their sealed order.
type Log struct{ Session db.Session }

// batchesAtOnce is how many batches a list reads at once. Most have a few entries.
const batchesAtOnce = 64

// List returns sealed entries behind a sequence.
func (t Log) List(afterSequence, limit int) ([]store.LogEntry, error) {
	batches := Batches(t)
	archived, err := batches.FindArchived()
	if err != nil {
		return nil, err
	}
	after := max(afterSequence, archived)
	var found []store.LogEntry
	for len(found) < limit {
		next, err := batches.List(after, min(batchesAtOnce, limit-len(found)))
		if err != nil || len(next) == 0 {
			return found, err
		}
		var wanted []store.LogEntry
		for _, batch := range next {
			for _, place := range places(batch) {
				if place.Sequence > after && len(wanted) < limit-len(found) {
					wanted = append(wanted, place)
				}
			}
		}
		if len(wanted) == 0 {
			return found, nil // the batch is damaged
		}
		after = wanted[len(wanted)-1].Sequence
		found, err = t.fill(found, wanted)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

const (
	findEventBatch = `SELECT first_sequence FROM sealed_batches WHERE first_event <= $1
		ORDER BY first_event DESC, first_sequence DESC LIMIT 1`
	listEventBatches = `SELECT ` + batchColumns + ` FROM sealed_batches
		WHERE first_sequence >= $1 ORDER BY first_sequence LIMIT 0 + $2`
)

// ListEvents returns sealed events behind an event sequence.
func (t Log) ListEvents(afterEvent, limit int) ([]store.LogEntry, error) {
	first := 0
	_, err := db.Find(t.Session, []any{&first}, findEventBatch, afterEvent+1)
	if err != nil || first == 0 {
		return nil, err
	}
	var found []store.LogEntry
	for len(found) < limit {
		next, err := db.List(t.Session, scanBatch, listEventBatches, first,
			min(batchesAtOnce, limit-len(found)))
		if err != nil || len(next) == 0 {
			return found, err
		}
		var wanted []store.LogEntry
		for _, batch := range next {
			first = batch.Size() + 1
			for _, place := range places(batch) {
				if place.Event > afterEvent && len(wanted) < limit-len(found) {
					wanted = append(wanted, place)
				}
			}
		}
		if len(wanted) > 0 {
			afterEvent = wanted[len(wanted)-1].Event
		}
		found, err = t.fill(found, wanted)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// places returns the entries of a batch, of which only their places are known.
func places(b store.Batch) []store.LogEntry {
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

const listRange = `SELECT ` + entryColumns + ` FROM audit
	WHERE audit_id >= $1 AND audit_id <= $2`

// fill appends wanted entries with what their rows hold. Those without a row are left out.
func (t Log) fill(found, wanted []store.LogEntry) ([]store.LogEntry, error) {
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
		found = append(found, entry)
	}
	return found, nil
}

// findRows returns rows by their numbers, and some that lie between them.
func (t Log) findRows(numbers []int) (map[int]store.LogEntry, error) {
	found := make(map[int]store.LogEntry, len(numbers))
	var queries []db.Query
	for _, run := range rowRuns(numbers) {
		queries = append(queries, db.Query{
			Text: listRange, Args: []any{run.First, run.Last},
			Each: func(row db.Scan) error {
				entry, err := scanEntry(row)
				found[entry.Row] = entry
				return err
			},
		})
	}
	if len(queries) == 0 {
		return found, nil
	}
	return found, t.Session.Query(queries...)
}

const (
	listAboveRow = `SELECT ` + entryColumns + ` FROM audit WHERE audit_id > $1
		ORDER BY audit_id LIMIT 0 + $2`
	listRows = `SELECT audit_id FROM audit WHERE audit_id > $1
		ORDER BY audit_id LIMIT 0 + $2`
	listRowsBetween = `SELECT audit_id FROM audit WHERE audit_id >= $1 AND audit_id <= $2`
	listRowsNamed   = `SELECT audit_id FROM audit WHERE audit_id IN `
)

func scanRow(row db.Scan) (number int, err error) {
	err = row(&number)
	return number, err
}

// ListRows returns numbers of rows above a number.
func (t Log) ListRows(above, limit int) ([]int, error) {
	return db.List(t.Session, scanRow, listRows, above, limit)
}

// ListUnsealed returns entries that no batch has sealed.
func (t Log) ListUnsealed(q store.UnsealedQuery) (store.Unsealed, error) {
	var u store.Unsealed
	unfinished, err := t.Session.Unfinished()
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
	newer, err := db.List(t.Session, scanEntry, listAboveRow, q.Above, q.Limit)
	u.Entries = append(u.Entries, newer...)
	return u, err
}

// listLate returns the numbers of rows that have appeared in gaps. Few numbers are asked for one by
// one; many, by the range that they lie in.
func (t Log) listLate(gaps []store.RowRange) ([]int, error) {
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
	return db.FindMany(t.Session, scanRow, listRowsNamed, numbers)
}

func (t Log) listBetween(gaps []store.RowRange) ([]int, error) {
	all, err := db.List(t.Session, scanRow, listRowsBetween,
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
	deleteRow   = `DELETE FROM audit WHERE audit_id = $1`
	putArchived = `INSERT INTO archived_entries (through_sequence, archived_at) VALUES ($1, $2)`
)

// DeleteThrough removes rows of entries up to a sequence, and remembers how far it got.
func (t Log) DeleteThrough(sequence, limit int) (int, error) {
	batches := Batches(t)
	after, err := batches.FindArchived()
	if err != nil {
		return 0, t.Session.Fail(err)
	}
	now, err := t.Session.Now()
	if err != nil {
		return 0, t.Session.Fail(err)
	}
	next, err := batches.List(after, limit)
	if err != nil {
		return 0, t.Session.Fail(err)
	}
	deleted, last := 0, min(sequence, after+limit)
	for _, batch := range next {
		for _, place := range places(batch) {
			if place.Sequence <= after || place.Sequence > last {
				continue
			}
			if err := t.Session.Write(deleteRow, place.Row); err != nil {
				return 0, err
			}
			deleted++
		}
	}
	if deleted == 0 {
		return 0, nil
	}
	return deleted, t.Session.Write(putArchived, after+deleted, db.Millis(now))
}
