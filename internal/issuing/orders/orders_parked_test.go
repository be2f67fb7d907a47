package orders_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestOrderOfADeadNodeIsWoken has a node die with the second order of a card, and an operator retry
// the first, which had failed. When that is done, the second is due immediately.
func TestOrderOfADeadNodeIsWoken(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		for i, kind := range []order.Kind{order.SetAccounts, order.Remake} {
			w.Update(func(tx store.Tx) error {
				return tx.Orders().Put(order.Order{
					Token: "0123456789abcdef", CardID: issuingtest.VerifiedCard, Sequence: i + 1, Kind: kind,
					State: order.Waiting, Created: issuingtest.Start, NextTry: issuingtest.Start,
				})
			})
		}
		claim := func(node string, sequence int) orders.ClaimedOrder {
			claimed, err := w.Orders.ClaimOrders(t.Context(), node, false, 9)
			if err != nil || len(claimed) != 1 || claimed[0].Order.Sequence != sequence {
				t.Fatalf("claimed %+v (%v), want order %d", claimed, err, sequence)
			}
			return claimed[0]
		}
		settle := func(c orders.ClaimedOrder, outcome processor.Outcome) {
			answer := processor.Answer{Outcome: outcome}
			if err := w.Orders.SettleOrder(t.Context(), c, answer, nil); err != nil {
				t.Fatal(err)
			}
		}
		first := claim("node", 1)
		settle(first, processor.Refused)
		claim("dead", 2)
		_, err := w.Orders.ActOnOrder(t.Context(), issuingtest.Clerk, first.Order.PublicID(), 0, "retry")
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		settle(claim("node", 1), processor.Done)
		claim("node", 2)
	})
}

// TestUnansweredLock has the processor answer all orders except one lock. At first the lock holds
// up everything that is not urgent, as in an outage; an answer to another lock ends that, until an
// operator retries the first.
func TestUnansweredLock(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		put := func(cardID int, kind order.Kind) {
			w.Update(func(tx store.Tx) error {
				return tx.Orders().Put(order.Order{
					Token: fmt.Sprintf("%016d", cardID), CardID: cardID, Sequence: 1, Kind: kind,
					State: order.Waiting, Created: tx.Now(), NextTry: tx.Now(),
				})
			})
		}
		claim := func(urgent bool, want ...int) orders.ClaimedOrder {
			t.Helper()
			claimed, err := w.Orders.ClaimOrders(t.Context(), "node", urgent, 9)
			var cards []int
			for _, c := range claimed {
				cards = append(cards, c.Order.CardID)
			}
			if err != nil || !slices.Equal(cards, want) {
				t.Fatalf("claimed orders of cards %v (%v), want %v", cards, err, want)
			}
			return append(claimed, orders.ClaimedOrder{})[0]
		}
		settle := func(c orders.ClaimedOrder, answer processor.Answer, failure error) {
			if err := w.Orders.SettleOrder(t.Context(), c, answer, failure); err != nil {
				t.Fatal(err)
			}
		}
		put(issuingtest.VerifiedCard, order.Lock)
		settle(claim(true, issuingtest.VerifiedCard), processor.Answer{}, processor.ErrUnreachable)
		put(issuingtest.DeniedCard, order.SetAccounts)
		w.Clock.Advance(2 * store.ReachableAfter)
		lock := claim(true, issuingtest.VerifiedCard)
		settle(lock, processor.Answer{}, processor.ErrUnreachable)
		claim(false)
		put(issuingtest.SystemLocked, order.Lock)
		settle(claim(true, issuingtest.SystemLocked), processor.Answer{Outcome: processor.Done}, nil)
		settle(claim(false, issuingtest.DeniedCard), processor.Answer{Outcome: processor.Done}, nil)

		// Retried by an operator, it may be the first sign of an outage.
		_, err := w.Orders.ActOnOrder(t.Context(), issuingtest.Clerk, lock.Order.PublicID(), 0, "retry")
		if err != nil {
			t.Fatal(err)
		}
		settle(claim(true, issuingtest.VerifiedCard), processor.Answer{}, processor.ErrUnreachable)
		put(issuingtest.ArchivedCard, order.SetAccounts)
		claim(false)
	})
}
