package reconcile

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/store/reconciled"
)

func same(n int) int { return n }

// pagesOf yields numbers, read in pages of a size.
func pagesOf(numbers []int, size int) iter.Seq2[int, error] {
	return paged(func(after int) ([]int, error) {
		at, ok := slices.BinarySearch(numbers, after)
		if ok {
			at++
		}
		return numbers[at:min(at+size, len(numbers))], nil
	}, same)
}

// TestMerged compares the merge with maps that hold everything.
func TestMerged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := func(name string) []int {
			numbers := rapid.MapOf(rapid.IntRange(1, 40), rapid.Bool()).Draw(t, name)
			return slices.Sorted(maps.Keys(numbers))
		}
		there, here := drawn("there"), drawn("here")
		size := rapid.IntRange(1, 9).Draw(t, "page")
		var got, want []string
		err := merged(pagesOf(there, size), pagesOf(here, size+1), same, same,
			func(a, b *int) {
				switch {
				case a == nil:
					got = append(got, fmt.Sprint(*b, " here"))
				case b == nil:
					got = append(got, fmt.Sprint(*a, " there"))
				case *a == *b:
					got = append(got, fmt.Sprint(*a, " both"))
				default:
					t.Fatalf("%d meets %d", *a, *b)
				}
			})
		for n := range 41 {
			inThere, inHere := slices.Contains(there, n), slices.Contains(here, n)
			switch {
			case inThere && inHere:
				want = append(want, fmt.Sprint(n, " both"))
			case inThere:
				want = append(want, fmt.Sprint(n, " there"))
			case inHere:
				want = append(want, fmt.Sprint(n, " here"))
			}
		}
		if err != nil || !cmp.Equal(got, want) {
			t.Fatalf("%v: %s", err, cmp.Diff(want, got))
		}
	})
}

// TestMergeEnds checks that an error of either side ends a merge, wherever it occurs.
func TestMergeEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	failing := func(after int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for n := range after {
				if !yield(n+1, nil) {
					return
				}
			}
			yield(0, broken)
		}
	}
	for after := range 4 {
		ignored := func(*int, *int) {}
		fine := pagesOf([]int{1, 2, 9}, 2)
		if err := merged(failing(after), fine, same, same, ignored); !errors.Is(err, broken) {
			t.Errorf("the first side breaks behind %d: %v", after, err)
		}
		if err := merged(fine, failing(after), same, same, ignored); !errors.Is(err, broken) {
			t.Errorf("the second side breaks behind %d: %v", after, err)
		}
	}
}

// TestTally checks that all differences are counted, and a limited number of each sort stored.
func TestTally(t *testing.T) {
	t.Parallel()
	tally := &tally{bySort: map[reconciled.DifferenceKind]int{}}
	two := []reconciled.Difference{{Sort: reconciled.State}, {Sort: reconciled.Expiry}}
	for range MaxDifferences + 1 {
		tally.add(two[:1], two)
	}
	for range MaxDifferences {
		tally.add(two[1:], two)
	}
	tally.add(nil, two)
	tally.add(nil, nil)
	want := reconciled.Counts{
		Compared: 2*MaxDifferences + 3, Equal: 1, InFlight: 1, Different: 2*MaxDifferences + 1,
	}
	if tally.Counts != want || len(tally.kept) != 2*MaxDifferences ||
		tally.bySort[reconciled.State] != MaxDifferences+1 ||
		tally.bySort[reconciled.Expiry] != MaxDifferences {
		t.Errorf("%+v, %v, %d kept", tally.Counts, tally.bySort, len(tally.kept))
	}
}
