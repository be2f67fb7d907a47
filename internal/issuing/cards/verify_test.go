package cards_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

func outcomes(rows []audit.Entry) []string {
	var all []string
	for _, row := range rows {
		all = append(all, row.Outcome)
	}
	return all
}

// TestVerifyStopsLooking checks that after five wrong answers the right one fails as well, that the
// trail distinguishes the two, and that the card can be verified again a day after the first.
func TestVerifyStopsLooking(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := w.NewCard(nil)
	for range card.MaxVerifyFailures {
		_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, "9999"))
		issuingtest.WantCodes(t, err, 150303)
		w.Clock.Advance(time.Minute)
	}
	_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, issuingtest.Ending))
	issuingtest.WantCodes(t, err, 150303)
	want := []string{"created", "changed", "changed"} // by the processor
	want = append(want, slices.Repeat([]string{"refused"}, card.MaxVerifyFailures)...)
	want = append(want, "refused without looking")
	if diff := cmp.Diff(want, outcomes(w.Trail(c.ID))); diff != "" {
		t.Errorf("the trail (-want +got):\n%s", diff)
	}

	// The first wrong answer is a day old, less a millisecond, and still counts.
	w.Clock.Advance(issuingtest.Start.Add(card.VerifyFailureWindow).Sub(w.Clock.Now()))
	_, err = w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, issuingtest.Ending))
	issuingtest.WantCodes(t, err, 150303)
	w.Clock.Advance(time.Millisecond)
	got, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, issuingtest.Ending))
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != card.Verified || !got.Verified.Equal(w.Clock.Now()) {
		t.Errorf("the card is %s since %s", got.Status, got.Verified)
	}
	if got.NumberMasked != "************1111" {
		t.Errorf("the number is shown as %q", got.NumberMasked)
	}
}

// TestVerifyCountsEachCard checks that wrong answers for one card do not lock out another.
func TestVerifyCountsEachCard(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	first, second := w.NewCard(nil), w.NewCard(nil)
	for range card.MaxVerifyFailures + 1 {
		_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(first, "0000"))
		issuingtest.WantCodes(t, err, 150303)
	}
	if _, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(second, issuingtest.Ending)); err != nil {
		t.Error(err)
	}
}

// TestVerifyTakesTheCalendarDate checks that the date counts exactly as written.
func TestVerifyTakesTheCalendarDate(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := w.NewCard(nil)
	for _, wrong := range []time.Time{issuingtest.Born.UTC(), issuingtest.Born.AddDate(1, 0, 0), issuingtest.Born.AddDate(0, 0, -1)} {
		req := issuingtest.Verifying(c, issuingtest.Ending)
		req.BirthDate = wrong
		_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, req)
		issuingtest.WantCodes(t, err, 150303)
	}
	if _, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, issuingtest.Ending)); err != nil {
		t.Error(err)
	}
}

// TestVerifyAsksForTheCreatorsBirthDate checks that a holder must give the creator's birth date,
// not its own.
func TestVerifyAsksForTheCreatorsBirthDate(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	own := issuingtest.Born.AddDate(15, 0, 0)
	w.Update(func(tx store.Tx) error {
		holder, err := tx.Customers().Find(1, holds)
		if err != nil {
			return err
		}
		holder.Birth = own
		return tx.Customers().Put(holder)
	})
	c := w.NewCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holds })
	req := issuingtest.Verifying(c, issuingtest.Ending)
	req.CustomerID, req.BirthDate = holds, own
	_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, req)
	issuingtest.WantCodes(t, err, 150303)
	req.BirthDate = issuingtest.Born
	if _, err := w.Cards.Verify(t.Context(), issuingtest.Caller, req); err != nil {
		t.Error(err)
	}
}
