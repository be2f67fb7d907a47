package sqlstore

import (
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// hourly implements store.Hourly on the table hourly.
type hourly struct{ *tx }

const listHourly = `SELECT hour, label, CAST(SUM(count) AS BIGINT), MAX(count) FROM hourly
	WHERE chart = $1 AND hour >= $2 AND ($3 = '' OR item = $3) AND program_id = $4
	GROUP BY hour, label`

// hourOf returns the number of the hour that contains a time, counted from 1970 UTC.
func hourOf(at time.Time) int { return int(at.Unix() / int64(time.Hour/time.Second)) }

// beginningOf returns the beginning of an hour by its number.
func beginningOf(hour int) time.Time {
	return time.Unix(int64(hour)*int64(time.Hour/time.Second), 0).UTC()
}

// List returns the counts of a chart. The counts of several programs for the same hour and label
// are added up.
func (t hourly) List(q store.HourlyQuery) ([]store.HourlySum, error) {
	type place struct {
		hour  int
		label string
	}
	var all []store.HourlySum
	at := make(map[place]int)
	each := func(row db.Scan) error {
		var of place
		var sum, greatest int
		err := row(&of.hour, &of.label, &sum, &greatest)
		i, known := at[of]
		if !known {
			i, at[of] = len(all), len(all)
			all = append(all, store.HourlySum{Hour: beginningOf(of.hour), Label: of.label})
		}
		all[i].Sum, all[i].Greatest = all[i].Sum+sum, max(all[i].Greatest, greatest)
		return err
	}
	programs := q.Programs
	if programs == nil {
		programs = []int{store.AllPrograms}
	}
	var queries []db.Query
	for _, id := range programs {
		queries = append(queries, db.Query{
			Text: listHourly, Args: []any{q.Chart, hourOf(q.From), q.Item, id}, Each: each,
		})
	}
	if len(queries) == 0 {
		return nil, nil
	}
	err := t.session.Query(queries...)
	return all, err
}

const (
	insertHourly = `INSERT INTO hourly (chart, program_id, hour, item, label, count)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (chart, program_id, hour, item, label) DO UPDATE `
	addHourly   = insertHourly + `SET count = hourly.count + excluded.count`
	raiseHourly = insertHourly + `SET count = excluded.count WHERE hourly.count < excluded.count`
	putMark     = insertHourly + `SET count = excluded.count`
	findMark    = `SELECT count FROM hourly WHERE chart = '' AND program_id = 0 AND hour = 0
		AND item = '' AND label = $1`
	deleteHourly = `DELETE FROM hourly WHERE hour < $1 AND chart <> ''`
)

func (t hourly) Add(c store.HourlyCount) error { return t.write(addHourly, c) }

// Raise raises a count to at least the given value.
func (t hourly) Raise(c store.HourlyCount) error { return t.write(raiseHourly, c) }

func (t hourly) write(text string, c store.HourlyCount) error {
	return t.session.Write(text, c.Chart, c.ProgramID, hourOf(c.Hour), c.Item, c.Label, c.Count)
}

func (t hourly) DeleteBefore(hour time.Time) error {
	return t.session.Write(deleteHourly, hourOf(hour))
}

// FindMark returns how far a source has been counted.
func (t hourly) FindMark(source string) (mark int, err error) {
	_, err = db.Find(t.session, []any{&mark}, findMark, source)
	return mark, err
}

// PutMark stores how far a source has been counted.
func (t hourly) PutMark(source string, mark int) error {
	return t.session.Write(putMark, "", 0, 0, "", source, mark)
}
