package transfers_test

import (
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/testkit/issuingtest"
)

// TestSameLater holds that a message which comes again gets its first answer, also when it would be
// refused by now: the account is no longer on the card, and the program has fewer digits.
func TestSameLater(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000, 10_000)
		first := authorize(w, issuingtest.Asking("a1", 3050), authorization.Approved)
		m := authorization.PostingRequest{ID: "p1", AccountID: 2002, Amount: issuingtest.Cents(3050), Decimals: 2}
		posted := post(w, m)
		w.Spendable(6950)
		if again := post(w, m); again.AccountID != posted.AccountID {
			t.Errorf("posted again: %+v", again)
		}
		w.SetLimits(func(s *program.Settings) { s.DecimalCount = 1 })
		if again := authorize(w, issuingtest.Asking("a1", 3050), authorization.Approved); again != first {
			t.Errorf("again: %+v, want %+v", again, first)
		}
		post(w, m)
	})
}
