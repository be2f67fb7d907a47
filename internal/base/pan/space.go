package pan

import (
	"fmt"
	"strconv"
	"strings"

	"mintmark/internal/base/secret"
)

// Space is the set of numbers that a BIN may issue, in a fixed order from 0 to Size()-1. With an
// ending (four digits) it contains only the numbers with that ending: the sandbox's numbers all end
// in 1111, so a test can verify a card without having seen it.
type Space struct {
	first, last int64 // bodies; with an ending, bodies without their last four digits
	ending      string
}

// NewSpace returns the space between two bodies of 15 digits, both inclusive. A body is a number
// without its check digit. The ending is empty or four digits.
func NewSpace(firstBody, lastBody, ending string) (Space, error) {
	first, err := parseBody(firstBody)
	if err != nil {
		return Space{}, err
	}
	last, err := parseBody(lastBody)
	if err != nil {
		return Space{}, err
	}
	if first > last {
		return Space{}, fmt.Errorf("the range %s to %s is empty", firstBody, lastBody)
	}
	if ending == "" {
		return Space{first: first, last: last}, nil
	}
	if len(ending) != 4 || strings.Trim(ending, "0123456789") != "" {
		return Space{}, fmt.Errorf("an ending has 4 digits, not %q", ending)
	}
	// A block is the 10,000 bodies with the same first eleven digits. Ten of them end in the first
	// three digits of the ending, and exactly one of these has its fourth digit as the check digit:
	// a block has one number. A block that is only partly in the range is excluded.
	return Space{first: (first + 9999) / 10000, last: (last+1)/10000 - 1, ending: ending}, nil
}

// Size returns how many numbers the space has.
func (s Space) Size() int64 { return max(0, s.last-s.first+1) }

// Number returns the i-th number.
func (s Space) Number(i int64) Number {
	if s.ending == "" {
		body := fmt.Sprintf("%0*d", BodyDigits, s.first+i)
		return Number{secret.New(body + string(CheckDigit(body)))}
	}
	head := fmt.Sprintf("%0*d", BodyDigits-4, s.first+i)
	for free := range 10 {
		body := head + strconv.Itoa(free) + s.ending[:3]
		if CheckDigit(body) == s.ending[3] {
			return Number{secret.New(body + s.ending[3:])}
		}
	}
	panic("pan: one digit in ten always gives the check digit wanted")
}

func parseBody(text string) (int64, error) {
	if len(text) != BodyDigits || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("a range end has %d digits (a card number without its check digit), "+
			"not %q", BodyDigits, text)
	}
	return strconv.ParseInt(text, 10, 64)
}
