package inspect

import (
	"testing"

	"mintmark/internal/base/problem"
)

// TestSecondRestore holds that numbers of cards continue after those that were made after an earlier
// restore of the same backup, and that a backup of a year ago does not use them up.
func TestSecondRestore(t *testing.T) {
	const hour = 3600
	first, second := cardsAhead(hour), cardsAhead(3*hour)
	if room := second - first; first < spareCards || room < 2*hour*cardsPerSecond {
		t.Errorf("the first jump is %d, the second leaves room for %d cards", first, room)
	}
	if ahead := cardsAhead(365 * 24 * hour); ahead > problem.MaxID/4 {
		t.Errorf("after a year the numbers jump by %d", ahead)
	}
}
