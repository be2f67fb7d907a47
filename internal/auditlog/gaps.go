package auditlog

import (
	"slices"
	"time"

	"mintmark/internal/store"
)

// grace is the additional time for which a gap is watched after all transactions that ran when it
// was seen have ended. A row gets its number a moment before its transaction gets one, so for that
// moment the transaction is not known to be running.
const grace = 30 * time.Second

// gaps holds the missing numbers between sealed rows. On PostgreSQL a row gets its number when it
// is inserted and becomes visible when its transaction commits, possibly after rows with greater
// numbers were sealed. A gap is watched until no transaction can fill it.
type gaps struct {
	grace   time.Duration
	open    []store.RowRange // in order, without overlap
	settled int              // no row up to here can appear any more

	// There is one watch at a time: every row up to upTo is sealed or in a gap. A batch that is put
	// after the grace time has a transaction with a greater number than any that can fill those
	// gaps. When all transactions up to that one have ended, the gaps stay empty forever.
	upTo   int
	since  time.Time
	asked  bool // the next batch will be the one of the watch
	batch  int  // its first sequence; 0 before it was put
	number int64
}

// findGaps rebuilds the gaps from the batches with rows above the settled one.
func findGaps(r store.Tx, head store.Batch, patience time.Duration) (*gaps, error) {
	g := &gaps{grace: patience, settled: head.SettledRow}
	if head.NewestRow == head.SettledRow {
		return g, nil
	}
	batches, err := r.AuditLog().ListBatchesAbove(head.SettledRow)
	if err != nil {
		return nil, err
	}
	newest := head.SettledRow
	for _, batch := range batches {
		g.add(newest, batch)
		newest = max(newest, batch.NewestRow)
	}
	return g, nil
}

// add opens gaps between those rows of a batch that lie above the newest row of the previous
// batches, and closes gaps that its other rows fill.
func (g *gaps) add(newest int, b store.Batch) {
	filled := make(map[int]bool)
	for _, row := range b.Rows {
		switch {
		case row.Row <= newest:
			filled[row.Row] = true
		default:
			if row.Row > newest+1 {
				g.open = append(g.open, store.RowRange{First: newest + 1, Last: row.Row - 1})
			}
			newest = row.Row
		}
	}
	if len(filled) == 0 {
		return
	}
	var left []store.RowRange
	for _, gap := range g.open {
		left = append(left, without(gap, filled)...)
	}
	g.open = left
}

// without returns the rest of a gap. Few numbers are filled, and a gap may be wide.
func without(gap store.RowRange, filled map[int]bool) []store.RowRange {
	var left []store.RowRange
	for _, row := range sortedWithin(gap, filled) {
		if row > gap.First {
			left = append(left, store.RowRange{First: gap.First, Last: row - 1})
		}
		gap.First = row + 1
	}
	if gap.First <= gap.Last {
		left = append(left, gap)
	}
	return left
}

// take adds a batch that is about to be put, and returns the row up to which everything is settled
// then. Unsealed was read in one snapshot: it includes the rows of all transactions that had ended
// by then.
func (g *gaps) take(newest int, b store.Batch, unsealed store.Unsealed) int {
	if unsealed.InOrder {
		return b.NewestRow
	}
	g.add(newest, b)
	if g.number > 0 && unsealed.Oldest > g.number {
		g.settle(g.upTo)
	}
	switch {
	case g.upTo == 0 && len(g.open) > 0:
		g.upTo, g.since = b.NewestRow, time.Now()
	case g.upTo > 0 && !g.asked && time.Since(g.since) > g.grace:
		g.asked, g.batch = true, b.First
	}
	if len(g.open) == 0 {
		g.settle(b.NewestRow)
	}
	return g.settled
}

// settle drops the gaps up to a row and ends the watch.
func (g *gaps) settle(upTo int) {
	for len(g.open) > 0 && g.open[0].Last <= upTo {
		g.open = g.open[1:]
	}
	g.settled = max(g.settled, upTo)
	g.upTo, g.asked, g.batch, g.number = 0, false, 0, 0
}

// learn reads the number of the transaction that put the batch of the watch.
func (g *gaps) learn(r store.Tx) error {
	if g.batch == 0 || g.number > 0 {
		return nil
	}
	batches, err := r.AuditLog().ListBatches(g.batch-1, 1)
	if err != nil || len(batches) == 0 || batches[0].First != g.batch {
		return err
	}
	g.number = batches[0].Transaction
	return nil
}

// sortedWithin returns the filled rows that lie in a gap, in ascending order.
func sortedWithin(gap store.RowRange, filled map[int]bool) []int {
	var rows []int
	for row := range filled {
		if row >= gap.First && row <= gap.Last {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}
