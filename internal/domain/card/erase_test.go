package card

import "testing"

// TestOver checks that an ended card is not reissued: its name is erased.
func TestOver(t *testing.T) {
	t.Parallel()
	over := 0
	for _, status := range Statuses {
		c := Card{Status: status}
		if !c.IsOver() {
			continue
		}
		over++
		for _, mode := range []Mode{Production, Sandbox, ByOperator} {
			for _, act := range []Act{ReissueSamePAN, ReissueNewPAN, Renew, Verify} {
				if c.Allows(act, mode) {
					t.Errorf("a card that is %s and over allows %s", status, act)
				}
			}
		}
	}
	if over != 3 {
		t.Errorf("%d statuses are over", over)
	}
}
