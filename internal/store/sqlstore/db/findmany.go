package db

import (
	"slices"
	"strconv"
	"strings"
)

// A query for many numbers has one of two fixed counts of placeholders, so that each text is
// prepared once: few for the accounts of a card, many for the rows of an operator's file.
const (
	fewNumbers  = 8
	manyNumbers = 64
)

var (
	fewPlaces  = Places(fewNumbers)
	manyPlaces = Places(manyNumbers)
)

// Places returns ($1, $2, ...) with a count of placeholders.
func Places(count int) string {
	places := make([]string, count)
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	return "(" + strings.Join(places, ", ") + ")"
}

// FindMany returns the rows with given numbers, which may repeat. The text of the query ends in IN.
func FindMany[T any](
	s Session, read func(Scan) (T, error), text string, numbers []int,
) ([]T, error) {
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	count, places := fewNumbers, fewPlaces
	if len(numbers) > fewNumbers {
		count, places = manyNumbers, manyPlaces
	}
	var queries []Query
	var items []T
	for chunk := range slices.Chunk(numbers, count) {
		args := make([]any, count)
		for i := range args {
			// No row has the number 0, which fills the remaining placeholders.
			args[i] = 0
			if i < len(chunk) {
				args[i] = chunk[i]
			}
		}
		queries = append(queries, Rows(&items, read, text+places, args...))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	return items, s.Query(queries...)
}
