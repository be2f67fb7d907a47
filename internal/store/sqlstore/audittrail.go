package sqlstore

import (
	"cmp"
	"math"
	"slices"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// auditTrail implements store.Trail on the table audit, newest first.
type auditTrail struct{ *tx }

// Each of these statements reads one index from its end. The conditions of partial indexes are
// written as in the migration.
const (
	newestBetween = `audit_id >= $1 AND audit_id < $2 ORDER BY audit_id DESC LIMIT 0 + $3`
	trailColumns  = `SELECT ` + entryColumns + ` FROM audit WHERE `

	listNewestEntries    = trailColumns + newestBetween
	listEntriesOfProgram = trailColumns + `program_id = $4 AND ` + newestBetween
	listEntriesOfBank    = trailColumns + `bank_id = $4 AND bank_id <> 0 AND ` + newestBetween
	listEntriesOfCard    = trailColumns + `program_id = $4 AND card_id = $5 AND ` + newestBetween
	listEntriesOfSubject = trailColumns +
		`subject_kind = $4 AND subject_id = $5 AND card_id = 0 AND ` + newestBetween
	listEntriesOfActor = trailColumns + `key_name = $4 AND actor_kind <> 'key' AND ` + newestBetween
)

// List reads up to the limit of the query from each index that it needs, in one round trip.
func (t auditTrail) List(q store.TrailQuery) ([]store.LogEntry, error) {
	below := q.Below
	if below == 0 {
		below = math.MaxInt64
	}
	var entries []store.LogEntry
	var queries []db.Query
	ask := func(text string, args ...any) {
		args = append([]any{q.From, below, q.Limit}, args...)
		queries = append(queries, db.Rows(&entries, scanEntry, text, args...))
	}
	card := q.Subject.Number(audit.Card)
	switch {
	case card != 0:
		for _, program := range q.Programs {
			ask(listEntriesOfCard, program, card)
		}
	case q.Subject != audit.Subject{}:
		ask(listEntriesOfSubject, q.Subject.Kind, q.Subject.ID)
	case q.Actor != "":
		ask(listEntriesOfActor, q.Actor)
	case len(q.Programs)+len(q.Banks) > 0:
		for _, program := range q.Programs {
			ask(listEntriesOfProgram, program)
		}
		for _, bank := range q.Banks {
			ask(listEntriesOfBank, bank)
		}
	default:
		ask(listNewestEntries)
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b store.LogEntry) int { return cmp.Compare(b.Row, a.Row) })
	return entries[:min(len(entries), q.Limit)], nil
}

// The batch that has sealed a row is this one or, where rows become visible in another order than
// that of their numbers, a later one.
const findBatchOfRow = `SELECT ` + batchColumns + ` FROM sealed_batches
	WHERE newest_audit_id >= $1 ORDER BY newest_audit_id, first_sequence LIMIT 1`

// ListSequences looks for each row in the first batch that can contain it, and in later batches as
// long as they can.
func (t auditTrail) ListSequences(rows []int) (map[int]int, error) {
	counts := make(map[int]int, len(rows))
	first := make([]store.Batch, len(rows))
	queries := make([]db.Query, len(rows))
	for i, row := range rows {
		queries[i] = db.Query{Text: findBatchOfRow, Args: []any{row},
			Each: func(columns db.Scan) (err error) {
				first[i], err = scanBatch(columns)
				return err
			}}
	}
	if len(queries) == 0 {
		return counts, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	for i, row := range rows {
		sequence, err := t.sequence(row, first[i])
		if err != nil {
			return nil, err
		}
		if sequence != 0 {
			counts[row] = sequence
		}
	}
	return counts, nil
}

// sequence looks for a row in a batch and in later ones. It returns 0 if none contains the row.
func (t auditTrail) sequence(row int, b store.Batch) (int, error) {
	if b.First == 0 {
		return 0, nil // no batch has reached the row yet
	}
	next := []store.Batch{b}
	for len(next) > 0 {
		for _, b = range next {
			at := slices.IndexFunc(b.Rows, func(s store.SealedRow) bool { return s.Row == row })
			if at >= 0 {
				return b.First + at, nil
			}
			if b.SettledRow >= row {
				return 0, nil // the row was damaged: no batch names it, and none will
			}
		}
		var err error
		next, err = auditLog(t).ListBatches(b.Size(), batchesAtOnce)
		if err != nil {
			return 0, err
		}
	}
	return 0, nil
}

const (
	findNewestRow = `SELECT COALESCE(MAX(audit_id), 0) FROM audit`
	findRowFrom   = `SELECT audit_id, acted_at FROM audit WHERE audit_id >= $1
		ORDER BY audit_id LIMIT 1`
)

// FindRow does a binary search: there is no index on the time, because every act would have to
// maintain it.
func (t auditTrail) FindRow(since time.Time) (int, error) {
	newest := 0
	if _, err := db.Find(t.session, []any{&newest}, findNewestRow); err != nil {
		return 0, err
	}
	first, last := 1, newest+1
	for first < last {
		middle := first + (last-first)/2
		row, at := last, time.Time{}
		there, err := db.Find(t.session, []any{&row, db.Time{To: &at}}, findRowFrom, middle)
		if err != nil {
			return 0, err
		}
		if there && at.Before(since) {
			first = row + 1
		} else {
			last = middle
		}
	}
	return first, nil
}
