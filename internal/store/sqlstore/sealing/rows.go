package sealing

import (
	"encoding/binary"
	"errors"
	"slices"

	"mintmark/internal/store"
)

var errOrder = errors.New("sealing: the rows of a batch are not in their order")

// encodeRows packs the rows of a batch: for each the distance from the one before as a varint, with
// its lowest bit saying whether it is an event.
func encodeRows(rows []store.SealedRow) ([]byte, error) {
	packed := make([]byte, 0, 2*len(rows))
	before := 0
	for _, row := range rows {
		if row.Row <= before {
			return nil, errOrder
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

// decodeRows reads what encodeRows writes. Places that are missing from damaged bytes name row 0,
// which does not exist.
func decodeRows(packed []byte, count int) []store.SealedRow {
	const most = 1 << 20 // more than a batch ever has; a damaged count must not take the memory
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

// rowRuns divides rows into ranges with few other rows between them, so that a range is found by
// one query.
func rowRuns(rows []int) []store.RowRange {
	const nearby = 16
	var runs []store.RowRange
	for _, row := range slices.Sorted(slices.Values(rows)) {
		if row <= 0 {
			continue // of damaged bytes
		}
		if last := len(runs) - 1; last >= 0 && row-runs[last].Last <= nearby {
			runs[last].Last = row
			continue
		}
		runs = append(runs, store.RowRange{First: row, Last: row})
	}
	return runs
}
