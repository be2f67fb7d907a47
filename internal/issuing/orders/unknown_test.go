package orders_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// lostAnswer is a store that does not learn the outcome of its next commit. It names an unreachable
// database as the cause.
type lostAnswer struct {
	store.Store
	keeps bool
	lost  bool
}

func (l *lostAnswer) Update(ctx context.Context, fn func(store.Tx) error) error {
	if l.lost {
		return l.Store.Update(ctx, fn)
	}
	l.lost = true
	err := l.Store.Update(ctx, func(tx store.Tx) error {
		err := fn(tx)
		if err == nil && !l.keeps {
			err = issuingtest.ErrDisk
		}
		return err
	})
	return errors.Join(store.ErrUnknownOutcome, store.ErrUnavailable, err)
}

// TestRepeatedAfterAnUnknownOutcome loses the outcome of an act with an idempotency key. The
// response is not 50503, which says that nothing has changed. The repeated request is performed
// once, and gets the lost response if it was stored.
func TestRepeatedAfterAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{true, false} {
		w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
		w.Service = acts.New(&lostAnswer{Store: w.Store, keeps: keeps}, w.Vault, w.Settings)
		perform := w.Locking(issuingtest.VerifiedCard)
		lost, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), perform)
		if err != nil || lost.Status != 504 || lost.Replayed {
			t.Errorf("keeps is %v: the first answer is %+v (%v)", keeps, lost, err)
		}
		again, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), perform)
		if err != nil || again.Status != 200 || again.Replayed != keeps ||
			keeps && !bytes.Equal(again.Body, issuingtest.StoredAnswer(w, f).Answer) {
			t.Errorf("keeps is %v: the second answer is %+v (%v)", keeps, again, err)
		}
		if rows := w.Trail(issuingtest.VerifiedCard); len(rows) != 1 {
			t.Errorf("keeps is %v: the trail has %d rows, want 1", keeps, len(rows))
		}
	}
}
