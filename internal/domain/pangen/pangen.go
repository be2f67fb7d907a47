// Package pangen chooses the card numbers (PANs) of new cards: at random in the range of a BIN, so
// that no number reveals the next. Package pan defines the form of a card number; the store rejects
// a duplicate.
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

// PANs is the part of the store that records the issued card numbers.
type PANs interface {
	// Has reports whether a card number was ever issued, by its digests.
	Has(number digests.Number) (bool, error)
	// Count returns the number of issued card numbers of a BIN.
	Count(binID int) (int64, error)
}

// randomTries is how many numbers are picked at random before the issued numbers of the range are
// counted. If three quarters of the range are used, all of them fail once in a hundred million
// times.
const randomTries = 64

// maxLooks limits the lookups after that, because other acts wait for the transaction. In a range
// of more numbers, that many are picked at random; if 99 of 100 are used, all of them fail once in
// a hundred million times.
const maxLooks = 2000

// Pick returns a card number of the BIN without checking that it is unused: the first that
// PickUnused would look up. An optimistic caller tries to store it, and falls back to PickUnused if
// the store already has it.
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

// PickUnused returns an unused card number of the BIN. With an ending (four digits) it picks only
// numbers with that ending. The fault is NumbersUsedUp if the range has no free number. It may also
// be returned for a range of more than maxLooks numbers of which 999 of 1,000 are used.
//
// The number is not reserved: the caller must store it in the same transaction.
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

// pickFree picks numbers at random until one is free, and returns the position of the last.
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

// walk checks every number of a range, starting from a position, until one is free.
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

// below returns a uniformly distributed random integer from 0 to bound-1. It reads the same bytes
// for the same bound, so that a seeded sandbox is reproducible.
func below(random io.Reader, bound int64) (int64, error) {
	// Values beyond the last multiple of the bound would favour low numbers.
	multiple := math.MaxUint64 - math.MaxUint64%uint64(bound)
	for {
		var raw [8]byte
		_, err := io.ReadFull(random, raw[:])
		if err != nil {
			return 0, fmt.Errorf("read random numbers: %w", err)
		}
		value := binary.BigEndian.Uint64(raw[:])
		if value < multiple {
			return int64(value % uint64(bound)), nil
		}
	}
}
