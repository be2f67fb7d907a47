package sqlstore

import (
	"slices"

	"mintmark/internal/store/sqlstore/db"
)

// findOne runs a query for one row. It returns store.ErrNotFound if there is none.
func findOne[T any](t *tx, into func(*T) []any, text string, args ...any) (T, error) {
	var item, none T
	if err := t.find(into(&item), text, args...); err != nil {
		return none, err
	}
	return item, nil
}

// readInto returns a function that reads each row into a new value.
func readInto[T any](into func(*T) []any) func(db.Scan) (T, error) {
	return func(row db.Scan) (T, error) {
		var item T
		err := row(into(&item)...)
		return item, err
	}
}

// numbered describes how a row with an ID and a revision is stored. Both statements take the same
// arguments; the update takes the ID and the revision after them.
type numbered struct {
	id, revision   *int
	serial         db.Serial
	insert, update string
}

func putNumbered(s db.Session, row numbered, args ...any) error {
	if *row.revision != 0 {
		err := s.Change(row.update, append(args, *row.id, *row.revision)...)
		if err == nil {
			*row.revision++
		}
		return err
	}
	id, err := s.Insert(row.serial, row.insert, args...)
	if err == nil {
		*row.id, *row.revision = id, 1
	}
	return err
}

const listPrograms = `SELECT program_id FROM programs ORDER BY program_id`

// programsOf returns the given programs, or all programs if programIDs is nil.
func programsOf(s db.Session, programIDs []int) ([]int, error) {
	if programIDs != nil {
		return slices.Clone(programIDs), nil
	}
	return db.List(s, scanNumber, listPrograms)
}

func scanNumber(row db.Scan) (number int, err error) {
	err = row(&number)
	return number, err
}

// descending sorts numbers in descending order and removes duplicates.
func descending(numbers []int) []int {
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	slices.Reverse(numbers)
	return numbers
}
