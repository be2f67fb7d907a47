package importer

import (
	"errors"
	"slices"

	"mintmark/internal/store"
)

// Take takes items in steps of at most so many, until the time of the chunk is over behind a step, and
// returns how many it has taken. Find reads the stored form of the items of a step. Without an over,
// all items are taken.
func Take[T any](
	items []T, step int, over func() bool, find func(items []T) error, take func(item T) error,
) (taken int, err error) {
	for some := range slices.Chunk(items, step) {
		if err := find(some); err != nil {
			return taken, err
		}
		for _, item := range some {
			if err := take(item); err != nil {
				return taken, err
			}
		}
		taken += len(some)
		if over != nil && over() {
			break
		}
	}
	return taken, nil
}

// IsMissing reports whether a find has found nothing, and returns other errors.
func IsMissing(err error) (bool, error) {
	if errors.Is(err, store.ErrNotFound) {
		return true, nil
	}
	return false, err
}
