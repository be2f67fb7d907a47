// Package number chooses the numbers of new cards: a free one in the range of a BIN, at random, so
// that nobody can tell the next number from the last. What a number looks like belongs to package
// pan; that it is never given out twice is also kept by the store.
package number

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"mintmark/internal/fault"
	"mintmark/internal/pan"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// randomTries is how often a number is drawn blindly. In a range that is three quarters used up,
// all of them fail once in a hundred million draws.
const randomTries = 64

// Guess returns a number of the BIN without looking whether a card has had it: the one that Draw
// would look at first. It is for a caller who tries to keep the number and, when the store has it
// already, begins again with Draw.
func Guess(random io.Reader, bin program.Bin, ending string) (pan.Number, error) {
	space, err := numbers(bin, ending)
	if err != nil {
		return pan.Number{}, err
	}
	place, err := below(random, space.Size())
	if err != nil {
		return pan.Number{}, err
	}
	return space.Number(place), nil
}

// Draw returns a number of the BIN that no card has had. With an ending (four digits) only numbers
// that end so are drawn. A range without a free number is 59103.
//
// The number is not reserved: the caller keeps it in the transaction in which it was drawn.
func Draw(
	issued store.PANs, digest func(pan.Number) []byte, random io.Reader, bin program.Bin,
	ending string,
) (pan.Number, error) {
	space, err := numbers(bin, ending)
	if err != nil {
		return pan.Number{}, err
	}
	isFree := func(place int64) (bool, error) {
		taken, err := issued.Has(digest(space.Number(place)))
		return !taken, err
	}
	place := int64(0)
	for range randomTries {
		place, err = below(random, space.Size())
		if err != nil {
			return pan.Number{}, err
		}
		free, err := isFree(place)
		if err != nil || free {
			return space.Number(place), err
		}
	}
	return walk(issued, space, bin, place, isFree)
}

// numbers returns the range of a BIN, which has at least one number.
func numbers(bin program.Bin, ending string) (pan.Space, error) {
	space, err := bin.Numbers(ending)
	if err != nil {
		return pan.Space{}, fmt.Errorf("bin %d: %w", bin.ID, err)
	}
	if space.Size() == 0 {
		return pan.Space{}, fault.New(fault.NumbersUsedUp, bin.ProgramID)
	}
	return space, nil
}

// walk goes through a range that is nearly full, from the place of the last draw, and meets each
// free number that is left. It counts first: to find a large range full by walking takes hours.
func walk(
	pans store.PANs, space pan.Space, bin program.Bin, from int64,
	isFree func(int64) (bool, error),
) (pan.Number, error) {
	usedUp := fault.New(fault.NumbersUsedUp, bin.ProgramID)
	issued, err := pans.Count(bin.ID)
	if err != nil {
		return pan.Number{}, err
	}
	if issued >= space.Size() {
		return pan.Number{}, usedUp
	}
	for step := range space.Size() {
		place := (from + step) % space.Size()
		free, err := isFree(place)
		if err != nil || free {
			return space.Number(place), err
		}
	}
	return pan.Number{}, usedUp
}

// below returns a random whole number from 0 to bound-1, each as likely as the other. It reads the
// same bytes for the same bound, so that a seeded sandbox repeats itself.
func below(random io.Reader, bound int64) (int64, error) {
	// Draws behind the last whole multiple of the bound would favour the low numbers.
	multiple := math.MaxUint64 - math.MaxUint64%uint64(bound)
	for {
		var raw [8]byte
		_, err := io.ReadFull(random, raw[:])
		if err != nil {
			return 0, fmt.Errorf("source of random numbers: %w", err)
		}
		drawn := binary.BigEndian.Uint64(raw[:])
		if drawn < multiple {
			return int64(drawn % uint64(bound)), nil
		}
	}
}
