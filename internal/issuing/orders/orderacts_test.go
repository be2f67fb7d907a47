package orders_test

import (
	"errors"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestRetryForACardThatHasEnded retries a failed order of a card in each status, as an operator. An
// ended card is no longer produced, but the order to close it may be sent again.
func TestRetryForACardThatHasEnded(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	for _, status := range card.Statuses {
		c := w.InStatus(w.NewCard(nil), status)
		for i, kind := range []order.Kind{order.Make, order.Remake, order.Close} {
			o := order.Order{
				Token: "0123456789abcdef", CardID: c.ID, Sequence: i + 2, Kind: kind,
				State: order.Failed, Created: issuingtest.Start, Ended: issuingtest.Start,
			}
			w.Update(func(tx store.Tx) error { return tx.Orders().Put(o) })
			failed := w.OrdersOf(c.ID)[i+1]
			w.Clock.Advance(time.Minute)
			_, err := w.Orders.ActOnOrder(t.Context(), issuingtest.Clerk, failed.PublicID(), 0, "retry")
			refused := (*issuing.RefusedError)(nil)
			isRefused := errors.As(err, &refused)
			if want := c.IsOver() && kind != order.Close; isRefused != want || !want && err != nil {
				t.Errorf("%s of a card that is %s: %v", kind, status, err)
			}
		}
	}
}
