package sealing

import (
	"slices"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Histories are the rows of the table audit, of which operators see a summary.
type Histories struct{ Session db.Session }

var _ store.Histories = Histories{}

const findLock = `SELECT ` + entryColumns + ` FROM audit
	WHERE program_id = $1 AND card_id = $2 AND card_after LIKE '%"lock%TypeCode":%'
	ORDER BY audit_id DESC LIMIT 1`

// FindLock returns the newest entry that has changed the lock of a card.
func (t Histories) FindLock(programID, cardID int) (store.LogEntry, error) {
	found, err := db.List(t.Session, scanEntry, findLock, programID, cardID)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.LogEntry{}, err
	}
	return found[0], nil
}

// The newest rows are found by their numbers, whatever program they are of.
const countHours = `SELECT program_id, acted_at / 3600000, COUNT(*), SUM(refusals)
	FROM (SELECT program_id, acted_at,
			CASE WHEN outcome LIKE 'refused%' THEN 1 ELSE 0 END AS refusals
		FROM audit ORDER BY audit_id DESC LIMIT 0 + $1) newest
	GROUP BY program_id, acted_at / 3600000
	ORDER BY acted_at / 3600000 DESC`

// Count counts the newest entries by hour.
func (t Histories) Count(programIDs []int, limit int) ([]store.HourCount, error) {
	var hours []store.HourCount
	total, earliest := 0, time.Time{}
	err := t.Session.Query(db.Query{Text: countHours, Args: []any{limit},
		Each: func(row db.Scan) error {
			var programID, hour, count, refused int
			err := row(&programID, &hour, &count, &refused)
			at := time.Unix(int64(hour)*int64(time.Hour/time.Second), 0).UTC()
			total, earliest = total+count, at
			if programIDs != nil && !slices.Contains(programIDs, programID) {
				return err
			}
			if last := len(hours) - 1; last < 0 || !hours[last].Hour.Equal(at) {
				hours = append(hours, store.HourCount{Hour: at})
			}
			hours[len(hours)-1].Count += count
			hours[len(hours)-1].Refused += refused
			return err
		}})
	last := len(hours) - 1
	if total == limit && last >= 0 && hours[last].Hour.Equal(earliest) {
		hours = hours[:last]
	}
	return hours, err
}
