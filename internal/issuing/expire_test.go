package issuing_test

import (
	"fmt"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// window is how long the demo program lets a card stay unverified.
const window = 90 * 24 * time.Hour

// expire runs the job and wants it to have expired so many cards.
func (w *world) expire(want int) {
	w.t.Helper()
	got, err := w.Cards.ExpireUnverified(w.t.Context())
	if err != nil || got != want {
		w.t.Errorf("%d cards expired (%v), want %d", got, err, want)
	}
}

func TestExpireUnverified(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	pending, usable := w.newCard(nil), w.inStatus(w.newCard(nil), card.Verified)
	w.clock.Advance(window)
	later := w.newCard(nil)
	w.expire(0) // a card that is exactly as old as the window may still be verified
	w.clock.Advance(time.Millisecond)
	w.expire(1)
	w.expire(0)

	got := w.stored(pending.ID)
	if got.Status != card.Expired || !got.Expired.Equal(w.clock.Now()) {
		t.Errorf("the card is %s, expired at %s", got.Status, got.Expired)
	}
	if w.stored(usable.ID).Status != card.Verified {
		t.Error("a verified card has expired")
	}
	if w.stored(later.ID).Status != card.PendingVerification {
		t.Error("a young card has expired")
	}
	rows := w.trail(pending.ID)
	last := rows[len(rows)-1]
	if last.Actor != jobOf(issuing.ExpireJob) || last.Outcome != "changed" || last.CustomerID != 0 {
		t.Errorf("the last row of the trail is %+v", last)
	}
}

// TestExpiryCountsFromTheReissue holds that a card made anew has its whole window again.
func TestExpiryCountsFromTheReissue(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	c := w.newCard(nil)
	w.clock.Advance(window - time.Hour)
	w.must(w.Cards.Reissue(t.Context(), caller, reissuing(c, "DMG")))
	w.clock.Advance(window)
	w.expire(0)
	w.clock.Advance(time.Millisecond)
	w.expire(1)
}

// TestExpiryGoesOnUntilItIsDone holds that more cards than one transaction takes expire in one
// run.
func TestExpiryGoesOnUntilItIsDone(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	model := w.newCard(nil)
	w.update(func(tx store.Tx) error {
		for i := range 250 {
			c := model
			c.ID, c.Revision, c.NickName = 0, 0, fmt.Sprintf("Copy %d", i)
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
	w.clock.Advance(window + time.Millisecond)
	w.expire(251)
}
