// Package pangen chooses the numbers (PANs) of new cards: at random in the range of a BIN, so that
// the next number cannot be told from the last. Package pan knows the form of a number; the store
// refuses a number that exists.
package pangen

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/program"
)

// PANs is the part of the store that knows which numbers were issued.
type PANs interface {
	// Has reports whether a number was ever issued, by its digests.
	Has(number digests.Number) (bool, error)
	// Count returns how many numbers of a BIN were issued.
	Count(binID int) (int64, error)
}

// randomTries is how many numbers are picked at random before those of the range are counted. In a
// range that is three quarters used up, all of them fail once in a hundred million times.
const randomTries = 64

// maxLooks bounds how many numbers are looked up after that: other acts wait for the transaction. As
// many are picked at random in a range of more numbers; where 99 of 100 are used up, all of them fail
// once in a hundred million times.
const maxLooks = 2000

// Pick returns a number of the BIN without looking whether a card has had it: the first that
// PickUnused would look up. An optimistic caller tries to store it, and begins again with
// PickUnused when the store has it already.
func Pick(random io.Reader, bin program.Bin, ending string) (pan.Number, error) {
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

// PickUnused returns a number of the BIN that no card has had. With an ending (four digits) only
// numbers that end so are picked. The fault is NumbersUsedUp for a range without a free number, and may
// be for one of more than maxLooks numbers of which 999 of 1,000 are used up.
//
// The number is not reserved: the caller stores it in the transaction in which it was picked.
func PickUnused(
	issued PANs, digest func(pan.Number) (digests.Number, error), random io.Reader,
	bin program.Bin, ending string,
) (pan.Number, error) {
	space, err := numbers(bin, ending)
	if err != nil {
		return pan.Number{}, err
	}
	isFree := func(place int64) (bool, error) {
		digested, err := digest(space.Number(place))
		if err != nil {
			return false, err
		}
		taken, err := issued.Has(digested)
		return !taken, err
	}
	place, free, err := pickFree(random, space, randomTries, isFree)
	if err != nil || free {
		return space.Number(place), err
	}
	usedUp := fault.New(fault.NumbersUsedUp, bin.ProgramID)
	count, err := issued.Count(bin.ID)
	if err != nil {
		return pan.Number{}, err
	}
	if count >= space.Size() {
		return pan.Number{}, usedUp
	}
	if space.Size() > maxLooks {
		place, free, err = pickFree(random, space, maxLooks, isFree)
	} else {
		place, free, err = walk(space, place, isFree)
	}
	if err != nil || free {
		return space.Number(place), err
	}
	return pan.Number{}, usedUp
}

// pickFree picks numbers at random until one is free, and returns the place of the last.
func pickFree(
	random io.Reader, space pan.Space, tries int, isFree func(int64) (bool, error),
) (place int64, free bool, err error) {
	for range tries {
		place, err = below(random, space.Size())
		if err != nil {
			return 0, false, err
		}
		free, err = isFree(place)
		if err != nil || free {
			break
		}
	}
	return place, free, err
}

// walk goes through a range from a place, and meets each free number that is left.
func walk(
	space pan.Space, from int64, isFree func(int64) (bool, error),
) (place int64, free bool, err error) {
	for step := range space.Size() {
		place = (from + step) % space.Size()
		free, err = isFree(place)
		if err != nil || free {
			break
		}
	}
	return place, free, err
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

// below returns a random whole number from 0 to bound-1, each as likely as the other. It reads the
// same bytes for the same bound, so that a seeded sandbox repeats itself.
func below(random io.Reader, bound int64) (int64, error) {
	// Values beyond the last whole multiple of the bound would favour the low numbers.
	multiple := math.MaxUint64 - math.MaxUint64%uint64(bound)
	for {
		var raw [8]byte
		_, err := io.ReadFull(random, raw[:])
		if err != nil {
			return 0, fmt.Errorf("source of random numbers: %w", err)
		}
		value := binary.BigEndian.Uint64(raw[:])
		if value < multiple {
			return int64(value % uint64(bound)), nil
		}
	}
}
