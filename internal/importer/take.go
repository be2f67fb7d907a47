package importer

import (
	"slices"
)

// Take takes items in steps of up to step items and returns the number taken. It stops after a step
// when over reports that the time of the chunk is up; if over is nil, it takes all items. Find
// reads the stored form of the items of a step.
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
