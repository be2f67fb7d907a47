package sqlstore

import (
	"slices"

	"mintmark/internal/store/sqlstore/db"
)

// findOne runs a query for one row, and is store.ErrNotFound without one.
func findOne[T any](t *tx, into func(*T) []any, text string, args ...any) (T, error) {
	var one, none T
	if err := t.find(into(&one), text, args...); err != nil {
		return none, err
	}
	return one, nil
}

// readInto reads each row into a value of its own.
func readInto[T any](into func(*T) []any) func(db.Scan) (T, error) {
	return func(row db.Scan) (T, error) {
		var one T
		err := row(into(&one)...)
		return one, err
	}
}

// put inserts a row when the revision is 0, and otherwise changes exactly that revision of it. Both
// statements take the same arguments; the update takes the revision after them.
func (t *tx) put(revision int, insert, update string, args ...any) error {
	if revision == 0 {
		return t.session.Write(insert, args...)
	}
	return t.session.Change(update, append(args, revision)...)
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
