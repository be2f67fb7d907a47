package issuing_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
)

func verifying(c card.Card, digits string) cards.VerifyRequest {
	return cards.VerifyRequest{
		CardRef:   issuing.CardRef{CustomerID: 1001, CardID: c.ID},
		BirthDate: born, CardNumberMasked: digits,
	}
}

func outcomes(rows []audit.Entry) []string {
	var all []string
	for _, row := range rows {
		all = append(all, row.Outcome)
	}
	return all
}

// TestVerifyStopsLooking holds that after five wrong answers the right one is wrong as well, that
// the trail tells the two apart, and that a day after the first the card is looked at again.
func TestVerifyStopsLooking(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	c := w.newCard(nil)
	for range card.MaxVerifyFailures {
		_, err := w.Cards.Verify(t.Context(), caller, verifying(c, "9999"))
		wantCodes(t, err, 150303)
		w.clock.Advance(time.Minute)
	}
	_, err := w.Cards.Verify(t.Context(), caller, verifying(c, ending))
	wantCodes(t, err, 150303)
	want := []string{"created", "changed", "changed"} // by the processor
	want = append(want, slices.Repeat([]string{"refused"}, card.MaxVerifyFailures)...)
	want = append(want, "refused without looking")
	if diff := cmp.Diff(want, outcomes(w.trail(c.ID))); diff != "" {
		t.Errorf("the trail (-want +got):\n%s", diff)
	}

	// The first wrong answer is a day old, to the millisecond, and still counts.
	w.clock.Advance(start.Add(card.VerifyFailureWindow).Sub(w.clock.Now()))
	_, err = w.Cards.Verify(t.Context(), caller, verifying(c, ending))
	wantCodes(t, err, 150303)
	w.clock.Advance(time.Millisecond)
	got, err := w.Cards.Verify(t.Context(), caller, verifying(c, ending))
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != card.Verified || !got.Verified.Equal(w.clock.Now()) {
		t.Errorf("the card is %s since %s", got.Status, got.Verified)
	}
	if got.NumberMasked != "************1111" {
		t.Errorf("the number is shown as %q", got.NumberMasked)
	}
}

// TestVerifyCountsEachCard holds that one card's wrong answers do not shut another.
func TestVerifyCountsEachCard(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	first, second := w.newCard(nil), w.newCard(nil)
	for range card.MaxVerifyFailures + 1 {
		_, err := w.Cards.Verify(t.Context(), caller, verifying(first, "0000"))
		wantCodes(t, err, 150303)
	}
	if _, err := w.Cards.Verify(t.Context(), caller, verifying(second, ending)); err != nil {
		t.Error(err)
	}
}

// TestVerifyTakesTheCalendarDate holds that the date counts as it was written, and no other.
func TestVerifyTakesTheCalendarDate(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	c := w.newCard(nil)
	for _, wrong := range []time.Time{born.UTC(), born.AddDate(1, 0, 0), born.AddDate(0, 0, -1)} {
		req := verifying(c, ending)
		req.BirthDate = wrong
		_, err := w.Cards.Verify(t.Context(), caller, req)
		wantCodes(t, err, 150303)
	}
	if _, err := w.Cards.Verify(t.Context(), caller, verifying(c, ending)); err != nil {
		t.Error(err)
	}
}

// TestVerifyAsksForTheCreatorsBirthDate holds that a holder has to know the creator's, not its
// own.
func TestVerifyAsksForTheCreatorsBirthDate(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	own := born.AddDate(15, 0, 0)
	w.update(func(tx store.Tx) error {
		holder, err := tx.Customers().Find(1, holds)
		if err != nil {
			return err
		}
		holder.Birth = own
		return tx.Customers().Put(holder)
	})
	c := w.newCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holds })
	req := verifying(c, ending)
	req.CustomerID, req.BirthDate = holds, own
	_, err := w.Cards.Verify(t.Context(), caller, req)
	wantCodes(t, err, 150303)
	req.BirthDate = born
	if _, err := w.Cards.Verify(t.Context(), caller, req); err != nil {
		t.Error(err)
	}
}
