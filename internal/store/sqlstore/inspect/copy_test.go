package inspect

import "testing"

// TestSecondRestore holds that numbers of cards go on behind those that were made after an earlier
// restore of the same backup, and never jump by more than a twentieth of all.
func TestSecondRestore(t *testing.T) {
	const hour = 3600
	first, second := cardsAhead(hour), cardsAhead(3*hour)
	if made := second - first; first < spareCards || made < 2*hour*cardsASecond {
		t.Errorf("the first jump is %d, the second leaves room for %d cards", first, made)
	}
	if ahead := cardsAhead(365 * 24 * hour); ahead > 1<<31/20 {
		t.Errorf("after a year the numbers jump by %d", ahead)
	}
}
