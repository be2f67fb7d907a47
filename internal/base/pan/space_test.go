package pan

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// around is the body around which the tests of spaces draw theirs: most digits change there.
const around = 411199999990000

func body(n int64) string { return fmt.Sprintf("%015d", n) }

// bruteForce lists the numbers of a range with an ending by checking each. A number counts only if
// the whole block of bodies up to the ending's digits is in the range.
func bruteForce(first, last int64, ending string) map[string]bool {
	numbers := make(map[string]bool)
	for n := first; n <= last; n++ {
		block := n / 10000
		whole := first <= block*10000 && block*10000+9999 <= last
		digits := body(n)
		digits += string(CheckDigit(digits))
		if ending == "" || whole && strings.HasSuffix(digits, ending) {
			numbers[digits] = true
		}
	}
	return numbers
}

// TestSpaceIsTheRange compares a space with brute force: the same numbers, each once, in rising
// order, inside the range, with the ending and a correct check digit.
func TestSpaceIsTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := around + rapid.Int64Range(-12_000, 12_000).Draw(t, "first")
		ending := rapid.SampledFrom([]string{"", "1111", "0000", "9087"}).Draw(t, "ending")
		longest := int64(25_000) // holds one or two blocks of 10,000
		if ending == "" {
			longest = 300
		}
		last := first + rapid.Int64Range(0, longest).Draw(t, "length")
		space, err := NewSpace(body(first), body(last), ending)
		if err != nil {
			t.Fatal(err)
		}
		want := bruteForce(first, last, ending)
		if space.Size() != int64(len(want)) {
			t.Fatalf("the size is %d, want %d", space.Size(), len(want))
		}
		before := ""
		for i := range space.Size() {
			number := space.Number(i)
			digits := number.Reveal()
			if !want[digits] || digits <= before {
				t.Fatalf("number %d is %s, behind %s", i, digits, before)
			}
			if _, err := Parse(digits); err != nil {
				t.Fatalf("number %d is %s: %v", i, digits, err)
			}
			before = digits
		}
	})
}

// TestWholeRangeOfABin checks the sizes of real BINs, which are too large to enumerate.
func TestWholeRangeOfABin(t *testing.T) {
	for ending, want := range map[string]int64{"": 1_000_000_000, "1111": 100_000} {
		space, err := NewSpace("411111000000000", "411111999999999", ending)
		if err != nil {
			t.Fatal(err)
		}
		if space.Size() != want {
			t.Errorf("ending %q: %d numbers, want %d", ending, space.Size(), want)
		}
		last := space.Number(want - 1).Reveal()
		if !strings.HasPrefix(last, "411111") || !strings.HasSuffix(last, ending) {
			t.Errorf("ending %q: the last number is %s", ending, last)
		}
	}
}

func TestNewSpaceRefuses(t *testing.T) {
	good := "411111000000000"
	for _, test := range []struct{ first, last, ending string }{
		{"4111", good, ""},
		{good, "4111110000000001", ""},
		{"41111100000000x", good, ""},
		{good, "-11111000000000", ""},
		{"411111000000001", good, ""},
		{good, good, "111"},
		{good, good, "11111"},
		{good, good, "111x"},
	} {
		if _, err := NewSpace(test.first, test.last, test.ending); err == nil {
			t.Errorf("%+v is a space", test)
		}
	}
}
