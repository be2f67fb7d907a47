package db

import (
	"slices"
	"strconv"
	"strings"
)

// A query for many keys has one of two fixed numbers of placeholders, so that each statement is
// prepared only once: few for the accounts of a card, many for the rows of an operator's file.
const (
	fewKeys  = 8
	manyKeys = 64
)

var (
	fewPlaces  = Places(fewKeys)
	manyPlaces = Places(manyKeys)
)

// Places returns ($1, $2, ...) with the given number of placeholders.
func Places(count int) string {
	places := make([]string, count)
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	return "(" + strings.Join(places, ", ") + ")"
}

// FindMany returns the rows with the given keys, which may repeat. The text of the query ends in
// IN.
func FindMany[T any, K int | string](
	s Session, read func(Scan) (T, error), text string, keys []K,
) ([]T, error) {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	count, places := fewKeys, fewPlaces
	if len(keys) > fewKeys {
		count, places = manyKeys, manyPlaces
	}
	var queries []Query
	var items []T
	for chunk := range slices.Chunk(keys, count) {
		args := make([]any, count)
		for i := range args {
			// No row has the key 0 or "", which fills the remaining placeholders.
			var key K
			if i < len(chunk) {
				key = chunk[i]
			}
			args[i] = key
		}
		queries = append(queries, Rows(&items, read, text+places, args...))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	return items, s.Query(queries...)
}
