package issuing_test

import (
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
)

// TestSameLater holds that a message which comes again gets its first answer, also when it would be
// refused by now: the account is no longer on the card, and the program has fewer digits.
func TestSameLater(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, w *world) {
		w.spendable(10_000, 10_000)
		first := w.authorize(asking("a1", 3050), authorization.Approved)
		asked := authorization.Movement{ID: "p1", AccountID: 2002, Amount: cents(3050), Decimals: 2}
		posted := w.post(asked)
		w.spendable(6950)
		if again := w.post(asked); again.AccountID != posted.AccountID {
			t.Errorf("posted again: %+v", again)
		}
		w.setLimits(func(s *program.Settings) { s.DecimalCount = 1 })
		if again := w.authorize(asking("a1", 3050), authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		w.post(asked)
	})
}
