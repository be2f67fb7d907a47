package sqlstore

import (
	"slices"

	"mintmark/internal/store/sqlstore/db"
)

// findOne runs a query for one row, and is store.ErrNotFound without one.
func findOne[T any](t *tx, into func(*T) []any, text string, args ...any) (T, error) {
	var item, none T
	if err := t.find(into(&item), text, args...); err != nil {
		return none, err
	}
	return item, nil
}

// readInto reads each row into a value of its own.
func readInto[T any](into func(*T) []any) func(db.Scan) (T, error) {
	return func(row db.Scan) (T, error) {
		var item T
		err := row(into(&item)...)
		return item, err
	}
}

// numbered says how a row with a number and a revision is stored. Both statements take the same
// arguments; the update takes number and revision after them.
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

// programsOf returns the programs that are asked for: those given, or all for nil.
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

// descending sorts numbers, the greatest first, each once.
func descending(numbers []int) []int {
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	slices.Reverse(numbers)
	return numbers
}
