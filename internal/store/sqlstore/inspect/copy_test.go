package inspect

import (
	"testing"

	"mintmark/internal/base/problem"
)

// TestSecondRestore checks that card ids assigned after a second restore of the same backup come
// after those assigned since the first restore, and that restoring a year-old backup does not
// exhaust them.
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
