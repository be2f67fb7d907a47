package cards_test

import (
	"fmt"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

func TestExpireUnverified(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	pending, usable := w.NewCard(nil), w.InStatus(w.NewCard(nil), card.Verified)
	w.Clock.Advance(issuingtest.Window)
	later := w.NewCard(nil)
	w.Expire(0) // a card exactly as old as the window can still be verified
	w.Clock.Advance(time.Millisecond)
	w.Expire(1)
	w.Expire(0)

	got := w.Stored(pending.ID)
	if got.Status != card.Expired || !got.Expired.Equal(w.Clock.Now()) {
		t.Errorf("the card is %s, expired at %s", got.Status, got.Expired)
	}
	if w.Stored(usable.ID).Status != card.Verified {
		t.Error("a verified card has expired")
	}
	if w.Stored(later.ID).Status != card.PendingVerification {
		t.Error("a young card has expired")
	}
	rows := w.Trail(pending.ID)
	last := rows[len(rows)-1]
	if last.Actor != issuingtest.JobOf(issuing.ExpireJob) || last.Outcome != "changed" || last.CustomerID != 0 {
		t.Errorf("the last row of the trail is %+v", last)
	}
}

// TestExpiryCountsFromTheReissue checks that a reissued card gets the whole window again.
func TestExpiryCountsFromTheReissue(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := w.NewCard(nil)
	w.Clock.Advance(issuingtest.Window - time.Hour)
	w.Must(w.Cards.Reissue(t.Context(), issuingtest.Caller, issuingtest.Reissuing(c, "DMG")))
	w.Clock.Advance(issuingtest.Window)
	w.Expire(0)
	w.Clock.Advance(time.Millisecond)
	w.Expire(1)
}

// TestExpiryGoesOnUntilItIsDone checks that one run expires more cards than fit in a transaction.
func TestExpiryGoesOnUntilItIsDone(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	model := w.NewCard(nil)
	w.Update(func(tx store.Tx) error {
		for i := range 250 {
			c := model
			c.ID, c.Revision, c.NickName = 0, 0, fmt.Sprintf("Copy %d", i)
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
	w.Clock.Advance(issuingtest.Window + time.Millisecond)
	w.Expire(251)
}
