package listing

import (
	"slices"

	"mintmark/internal/store/sqlstore/db"
)

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
